// Rows of recorded mainnet data against counts made independently from the JSON.
#include "chain/json/decode.hpp"
#include "chain/rows/rows.hpp"

#include "chain/tree/lineage.hpp"
#include "support/recordings.hpp"
#include "unit/chain/copy_reader.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace receiptd::chain {
namespace {

using nlohmann::json;
using test::read_file;
using testing::read_rows;

struct Counts {
    std::size_t transactions = 0, executed = 0, failures = 0, data_receipts = 0, events = 0;
    friend bool operator==(const Counts&, const Counts&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Counts& counts) {
        return out << counts.transactions << " transactions, " << counts.executed << " receipts, "
                   << counts.failures << " failures, " << counts.data_receipts << " data receipts, "
                   << counts.events << " events";
    }
};

bool is_event(const std::string& log) {
    constexpr std::string_view kPrefix = "EVENT_JSON:";
    if (!log.starts_with(kPrefix)) return false;
    const auto parsed = json::parse(log.substr(kPrefix.size()), nullptr, false);
    return parsed.is_object();
}

void count_executed(const json& item, Counts& counts) {
    const auto& outcome = item.at("execution_outcome").at("outcome");
    ++counts.executed;
    if (outcome.at("status").contains("Failure")) ++counts.failures;
    for (const auto& log : outcome.at("logs")) counts.events += is_event(log) ? 1 : 0;
}

Counts counts_in(const json& block) {
    Counts counts;
    for (const auto& shard : block.at("shards")) {
        for (const auto& item : shard.at("receipt_execution_outcomes")) count_executed(item, counts);
        if (shard.at("chunk").is_null()) continue;
        counts.transactions += shard.at("chunk").at("transactions").size();
        for (const auto& receipt : shard.at("chunk").at("receipts"))
            counts.data_receipts += receipt.at("receipt").contains("Data") ? 1 : 0;
    }
    return counts;
}

Counts counts_in(const RowBatch& batch) {
    Counts counts;
    counts.transactions = read_rows(batch, Table::transactions).size();
    counts.data_receipts = read_rows(batch, Table::data_receipts).size();
    counts.events = read_rows(batch, Table::events).size();
    for (const auto& row : read_rows(batch, Table::receipts)) {
        ++counts.executed;
        counts.failures += row["status"] == "failure" ? 1 : 0;
    }
    return counts;
}

class RecordedRows : public test::Recordings {
protected:
    static std::vector<std::filesystem::path> trees() {
        auto all = files("rpc/mainnet-v83/tx");
        const auto older = files("rpc/mainnet-76538229/tx");
        all.insert(all.end(), older.begin(), older.end());
        return all;
    }
};
RECEIPTD_WHERE_RECORDED(RecordedRows);

TEST_P(RecordedRows, WholeBlocksGiveTheCountsOfTheirJson) {
    for (const auto& file : files("whole-block")) {
        SCOPED_TRACE(file.filename());
        const auto decoded = decode_whole_block(read_file(file));
        ASSERT_TRUE(decoded) << decoded.error().to_string();
        Lineage lineage;
        const auto batch = whole_block_rows(decoded->value, std::nullopt, {}, lineage);
        EXPECT_EQ(counts_in(batch), counts_in(json::parse(read_file(file))));
        EXPECT_EQ(batch[Table::chunks].rows, decoded->value.shards.size());
    }
}

// Puts `args` back in place of `args_json` and compares the whole, semantically.
void encode_args(json& actions, const json& original) {
    for (std::size_t i = 0; i < actions.size(); ++i) {
        if (!actions[i].is_object()) continue;
        auto& [name, body] = *actions[i].get_ptr<json::object_t*>()->begin();
        const auto& before = *original.at(i).get_ptr<const json::object_t*>()->begin();
        if (name == "Delegate")
            encode_args(body["delegate_action"]["actions"], before.second["delegate_action"]["actions"]);
        if (!body.is_object() || !body.contains("args_json")) continue;
        body.erase("args_json");
        body["args"] = before.second.at("args");
    }
}

TEST_P(RecordedRows, ActionsKeepEverythingButTheFormOfArguments) {
    std::size_t readable = 0;
    for (const auto& file : files("whole-block")) {
        SCOPED_TRACE(file.filename());
        const auto decoded = decode_whole_block(read_file(file));
        ASSERT_TRUE(decoded);
        Lineage lineage;
        const auto batch = whole_block_rows(decoded->value, std::nullopt, {}, lineage);
        std::map<std::string, std::string> originals;
        for (const auto& shard : decoded->value.shards)
            for (const auto& item : shard.executed)
                originals[std::string(item.outcome.id)] = item.receipt.actions_json;
        for (const auto& row : read_rows(batch, Table::receipts)) {
            if (!row["actions"]) continue;
            auto actions = json::parse(*row["actions"]);
            const auto original = json::parse(originals.at(*row["receipt_id"]));
            readable += row["actions"]->find("\"args_json\":") != std::string::npos ? 1 : 0;
            encode_args(actions, original);
            EXPECT_EQ(actions, original);
        }
    }
    EXPECT_GT(readable, in_repository() ? 50u : 800u);
}

TEST_P(RecordedRows, ChainedBlocksFindTheParentsOfTheirReceipts) {
    const base::Height height = in_repository() ? 107503704 : 115185108;
    const auto text_at = [](base::Height at) {
        return read_file(root() / "whole-block" / (std::to_string(at) + ".json"));
    };
    const auto first = decode_whole_block(text_at(height));
    const auto second = decode_whole_block(text_at(height + 1));
    ASSERT_TRUE(first && second);
    Lineage lineage;
    whole_block_rows(first->value, std::nullopt, {}, lineage);
    const auto batch = whole_block_rows(second->value, height, {}, lineage);
    Lineage empty;
    const auto alone = whole_block_rows(second->value, height, {}, empty);
    EXPECT_LT(batch[Table::orphan_receipts].rows, alone[Table::orphan_receipts].rows / 4);
}

TEST_P(RecordedRows, RecordedTreesAreConnectedAndComplete) {
    for (const auto& file : trees()) {
        SCOPED_TRACE(file.filename());
        const auto decoded = decode_transaction_status(read_file(file));
        ASSERT_TRUE(decoded) << decoded.error().to_string();
        const auto& status = decoded->value;
        const std::vector<ExecutionBlock> executed_in(status.receipts_outcome.size(),
                                                      ExecutionBlock{1, 2, 3});
        const auto rows = tree_rows(status, {}, executed_in, {});
        EXPECT_EQ(rows.completion.tx_hash, file.stem());
        const auto receipts = read_rows(rows.batch, Table::receipts);
        EXPECT_EQ(receipts.size(), status.receipts_outcome.size());
        for (const auto& row : receipts)
            EXPECT_EQ(row["role"] == "initial", !row["parent_receipt_id"]) << *row["receipt_id"];
    }
}

TEST_P(RecordedRows, RecordedTreesAreJudged) {
    bool saw_failed = false;
    for (const auto& file : trees()) {
        SCOPED_TRACE(file.filename());
        const auto decoded = decode_transaction_status(read_file(file));
        ASSERT_TRUE(decoded) << decoded.error().to_string();
        const auto& status = decoded->value;
        const std::vector<ExecutionBlock> executed_in(status.receipts_outcome.size(),
                                                      ExecutionBlock{1, 2, 3});
        const auto rows = tree_rows(status, {}, executed_in, {});
        const auto results = read_rows(rows.batch, Table::transaction_results);
        if (results.empty()) continue;  // recorded before its end
        std::size_t failed = 0;
        for (const auto& row : read_rows(rows.batch, Table::receipts))
            failed += row["status"] == "failure" && row["role"] != "refund" && row["role"] != "payout";
        EXPECT_EQ(results[0]["failed_receipts"], std::to_string(failed));
        EXPECT_EQ(rows.batch.findings.size(), failed);
        EXPECT_EQ(results[0]["verdict"] == "succeeded", failed == 0);
        if (!file.stem().string().starts_with("4XXtr7Jr")) continue;
        saw_failed = true;
        EXPECT_EQ(results[0]["verdict"], "failed");
    }
    EXPECT_TRUE(saw_failed);
}

}  // namespace
}  // namespace receiptd::chain
