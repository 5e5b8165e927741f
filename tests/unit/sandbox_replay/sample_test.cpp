// The sample chain is consistent in itself: what the project's demo and tests rest on.
#include "sandbox/replay/id_shift.hpp"
#include "support/read_file.hpp"
#include "unit/sandbox_replay/fixtures.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

namespace receiptd::sandbox {
namespace {

using nlohmann::json;

json read(const std::filesystem::path& path) { return json::parse(receiptd::test::read_file(path)); }

std::vector<json> read_all(const std::string& folder) {
    std::map<std::string, json> files;
    for (const auto& file : std::filesystem::directory_iterator(test::sample() / folder))
        files[file.path().filename()] = read(file.path());
    std::vector<json> values;
    for (auto& [name, value] : files) values.push_back(std::move(value));
    return values;
}

TEST(Sample, ChainsItsBlocks) {
    const auto blocks = read_all("rpc/block");
    EXPECT_EQ(blocks.size(), 36u);
    for (std::size_t i = 1; i < blocks.size(); ++i) {
        const json& header = blocks[i]["header"];
        EXPECT_EQ(header["prev_hash"], blocks[i - 1]["header"]["hash"]);
        EXPECT_EQ(header["prev_height"], blocks[i - 1]["header"]["height"]);
        EXPECT_LT(blocks[i - 1]["header"]["timestamp"], header["timestamp"]);
        if (i >= 2) {
            EXPECT_EQ(header["last_final_block"], blocks[i - 2]["header"]["hash"]);
        }
        EXPECT_TRUE(is_hash_text(header["hash"].get<std::string>()));
        for (std::size_t s = 0; s < 3; ++s) {
            const bool is_new = blocks[i]["chunks"][s]["height_included"] == header["height"];
            EXPECT_EQ(header["chunk_mask"][s], is_new);
        }
    }
}

// Everything executed, by receipt id.
std::map<std::string, json> executions() {
    std::map<std::string, json> found;
    for (const auto& whole : read_all("whole-block")) {
        for (const auto& shard : whole["shards"]) {
            for (const auto& item : shard["receipt_execution_outcomes"]) {
                EXPECT_EQ(item["execution_outcome"]["id"], item["receipt"]["receipt_id"]);
                EXPECT_EQ(item["execution_outcome"]["block_hash"], whole["block"]["header"]["hash"]);
                EXPECT_TRUE(found.emplace(item["receipt"]["receipt_id"], item).second) << "executed twice";
            }
        }
    }
    return found;
}

TEST(Sample, EndsEveryTreeAndKnowsEveryParent) {
    const auto executed = executions();
    std::set<std::string> reached;
    for (const auto& result : read_all("rpc/tx")) {
        EXPECT_EQ(result["final_execution_status"], "FINAL");
        const bool is_local = result["transaction"]["signer_id"] == result["transaction"]["receiver_id"];
        EXPECT_EQ(result["receipts"].size() + (is_local ? 1 : 0), result["receipts_outcome"].size());
        std::vector<json> open{result["transaction_outcome"]};
        std::size_t receipts = 0;
        while (!open.empty()) {
            const json outcome = std::move(open.back());
            open.pop_back();
            for (const std::string id : outcome["outcome"]["receipt_ids"]) {
                ASSERT_TRUE(executed.contains(id)) << id;
                EXPECT_EQ(executed.at(id)["tx_hash"], result["transaction"]["hash"]);
                EXPECT_TRUE(reached.insert(id).second) << "two parents";
                open.push_back(executed.at(id)["execution_outcome"]);
                ++receipts;
            }
        }
        EXPECT_EQ(receipts, result["receipts_outcome"].size());
    }
    EXPECT_EQ(reached.size(), executed.size());
}

TEST(Sample, DeliversEveryDataIdBeforeItsCallbackRuns) {
    std::map<std::string, std::uint64_t> listed;  // data id -> height
    std::map<std::string, std::uint64_t> awaited;
    std::size_t resumes = 0;
    for (const auto& whole : read_all("whole-block")) {
        const std::uint64_t height = whole["block"]["header"]["height"];
        for (const auto& shard : whole["shards"]) {
            if (shard["chunk"].is_null()) continue;
            for (const auto& receipt : shard["chunk"]["receipts"]) {
                if (!receipt["receipt"].contains("Data")) continue;
                const json& data = receipt["receipt"]["Data"];
                EXPECT_TRUE(listed.emplace(data["data_id"], height).second) << "listed twice";
                if (data["is_promise_resume"] == true) ++resumes;
            }
            for (const auto& item : shard["receipt_execution_outcomes"]) {
                for (const std::string id : item["receipt"]["receipt"]["Action"]["input_data_ids"])
                    awaited.emplace(id, height);
            }
        }
    }
    EXPECT_EQ(listed.size(), awaited.size());
    for (const auto& [id, height] : awaited) {
        ASSERT_TRUE(listed.contains(id)) << id;
        EXPECT_LE(listed[id], height);
    }
    EXPECT_EQ(resumes, 1u);
}

TEST(Sample, ListsAReceiptOneBlockBeforeOrAtItsExecutionAndLocalOnesNever) {
    std::set<std::string> listed;
    for (const auto& chunk : read_all("rpc/chunk")) {
        for (const auto& receipt : chunk["receipts"])
            EXPECT_TRUE(listed.insert(receipt["receipt_id"]).second);
    }
    std::size_t local = 0;
    for (const auto& [id, item] : executions()) {
        const json& receipt = item["receipt"];
        const json& action = receipt["receipt"]["Action"];
        const bool is_yield = action["is_promise_yield"];
        const bool is_local = receipt["predecessor_id"] == receipt["receiver_id"] &&
                              receipt["predecessor_id"] == action["signer_id"];
        EXPECT_EQ(listed.contains(id), !is_yield && !is_local) << id;
        local += is_local;
    }
    EXPECT_EQ(local, 2u);
}

TEST(Sample, TellsTheStoriesThatMatter) {
    std::map<std::string, int> seen;
    for (const auto& result : read_all("rpc/tx")) {
        const bool success = result["status"].contains("SuccessValue");
        if (result["status"].dump().find("InvalidTxError") != std::string::npos) ++seen["conversion failed"];
        if (result["status"].dump().find("\"index\":1") != std::string::npos) ++seen["second action failed"];
        for (std::size_t i = 0; i < result["receipts"].size(); ++i) {
            const json& outcome = result["receipts_outcome"][i]["outcome"];
            const json& action = result["receipts"][i]["receipt"]["Action"];
            const bool failed = outcome["status"].contains("Failure");
            if (failed && success && !action["input_data_ids"].empty())
                ++seen["callback failed under success"];
            if (failed && success && !action["output_data_receivers"].empty()) ++seen["handled failure"];
            if (failed && success && action["input_data_ids"].empty() &&
                action["output_data_receivers"].empty())
                ++seen["inner call failed"];
            if (action["is_promise_yield"] == true && !failed) ++seen["yield resumed"];
            if (result["receipts"][i]["predecessor_id"] == "system") ++seen["refund or payout"];
            for (const std::string log : outcome["logs"]) {
                if (log.find('\0') != std::string::npos) ++seen["log with NUL"];
                if (log.starts_with("EVENT_JSON:")) ++seen["event"];
            }
        }
    }
    for (const auto* story : {"conversion failed", "second action failed", "callback failed under success",
                              "handled failure", "inner call failed", "yield resumed"})
        EXPECT_EQ(seen[story], 1) << story;
    for (const auto* story : {"refund or payout", "log with NUL", "event"})
        EXPECT_GT(seen[story], 0) << story;
}

}  // namespace
}  // namespace receiptd::sandbox
