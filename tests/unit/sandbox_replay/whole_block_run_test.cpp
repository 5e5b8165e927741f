#include "sandbox/replay/whole_block_run.hpp"

#include "sandbox/replay/id_shift.hpp"
#include "unit/sandbox_replay/fixtures.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace receiptd::sandbox {
namespace {

using nlohmann::json;

constexpr base::Height kFirstWhole = 200'000'000;

WholeBlockRun repeated(std::uint64_t blocks, base::Height first = kFirstWhole) {
    Repeat repeat;
    repeat.blocks = blocks;
    repeat.first_height = first;
    return WholeBlockRun(test::sample() / "whole-block", repeat);
}

json block_at(const WholeBlockRun& run, std::uint64_t position) { return json::parse(*run.text(position)); }

// Ids of what happened in a block: its own hash, new chunks, transactions, executed receipts.
std::vector<std::string> own_ids(const json& whole) {
    std::vector<std::string> ids{whole["block"]["header"]["hash"]};
    for (const auto& shard : whole["shards"]) {
        if (!shard["chunk"].is_null()) {
            ids.push_back(shard["chunk"]["header"]["chunk_hash"]);
            for (const auto& item : shard["chunk"]["transactions"])
                ids.push_back(item["transaction"]["hash"]);
        }
        for (const auto& item : shard["receipt_execution_outcomes"])
            ids.push_back(item["execution_outcome"]["id"]);
    }
    return ids;
}

TEST(RepeatedRun, NeverRepeatsAnId) {
    const auto run = repeated(120);  // more than three rounds
    std::set<std::string> seen;
    for (std::uint64_t i = 0; i < run.size(); ++i) {
        for (const auto& id : own_ids(block_at(run, i))) {
            EXPECT_TRUE(is_hash_text(id)) << id;
            EXPECT_TRUE(seen.insert(id).second) << id << " at " << i;
        }
    }
}

TEST(RepeatedRun, ChainsItsBlocksWithoutGaps) {
    const auto run = repeated(120);
    std::string previous, before_previous;
    std::uint64_t time = 0;
    for (std::uint64_t i = 0; i < run.size(); ++i) {
        const json whole = block_at(run, i);
        const json& header = whole["block"]["header"];
        EXPECT_EQ(header["height"], kFirstWhole + i);
        EXPECT_EQ(header["prev_height"], kFirstWhole + i - 1);
        EXPECT_EQ(header["hash"], run.hash(i));
        if (i >= 1) {
            EXPECT_EQ(header["prev_hash"], previous);
        }
        if (i >= 2) {
            EXPECT_EQ(header["last_final_block"], before_previous);
        }
        EXPECT_EQ(std::to_string(header["timestamp"].get<std::uint64_t>()), header["timestamp_nanosec"]);
        if (i >= 1) {
            EXPECT_EQ(header["timestamp"], time + 600'000'000);
        }
        time = header["timestamp"];
        before_previous = previous;
        previous = header["hash"];
        for (const auto& shard : whole["shards"]) {
            if (shard["chunk"].is_null()) continue;
            EXPECT_EQ(shard["chunk"]["header"]["height_included"], kFirstWhole + i);
            EXPECT_EQ(shard["chunk"]["header"]["prev_block_hash"], header["prev_hash"]);
            for (const auto& item : shard["receipt_execution_outcomes"])
                EXPECT_EQ(item["execution_outcome"]["block_hash"], header["hash"]);
        }
    }
}

TEST(RepeatedRun, KeepsTheTreesOfARoundTogether) {
    const auto run = repeated(76);  // two rounds of 36 and a bit
    std::map<std::string, std::string> spawned_in_tree;
    std::size_t linked = 0;
    for (std::uint64_t i = 0; i < 36; ++i) {
        const json whole = block_at(run, i);
        for (const auto& shard : whole["shards"]) {
            if (shard["chunk"].is_null()) continue;
            for (const auto& item : shard["chunk"]["transactions"]) {
                for (const auto& id : item["outcome"]["execution_outcome"]["outcome"]["receipt_ids"])
                    spawned_in_tree[id] = item["transaction"]["hash"];
            }
        }
        for (const auto& shard : whole["shards"]) {
            for (const auto& item : shard["receipt_execution_outcomes"]) {
                const auto parent = spawned_in_tree.find(item["execution_outcome"]["id"]);
                ASSERT_NE(parent, spawned_in_tree.end());
                EXPECT_EQ(item["tx_hash"], parent->second);
                for (const auto& id : item["execution_outcome"]["outcome"]["receipt_ids"])
                    spawned_in_tree[id] = item["tx_hash"];
                ++linked;
            }
        }
    }
    EXPECT_GT(linked, 80u);
}

TEST(RepeatedRun, KeepsAMissingChunkMissing) {
    const auto run = repeated(36);
    std::size_t missing = 0;
    for (std::uint64_t i = 0; i < run.size(); ++i) {
        const json whole = block_at(run, i);
        for (std::size_t s = 0; s < whole["shards"].size(); ++s) {
            const json& header = whole["block"]["chunks"][s];
            const bool is_new = header["height_included"] == kFirstWhole + i;
            EXPECT_EQ(whole["shards"][s]["chunk"].is_null(), !is_new);
            if (is_new) continue;
            ++missing;
            EXPECT_EQ(header["height_included"], kFirstWhole + i - 1);
        }
    }
    EXPECT_EQ(missing, 1u);
}

TEST(RepeatedRun, IsTheSameEveryTimeAndChangesNothingElse) {
    const auto run = repeated(80);
    const auto again = repeated(80);
    for (const std::uint64_t i : {0u, 35u, 36u, 79u}) EXPECT_EQ(*run.text(i), *again.text(i));
    json first = block_at(run, 5);
    json second = block_at(run, 5 + 36);
    EXPECT_EQ(first.dump().size(), second.dump().size());
    EXPECT_EQ(first["block"]["header"]["signature"], second["block"]["header"]["signature"]);
    EXPECT_EQ(first["block"]["header"]["total_supply"], second["block"]["header"]["total_supply"]);
}

TEST(RepeatedRun, CrossesAPowerOfTenInHeights) {
    const auto run = repeated(80, 999'960);
    EXPECT_EQ(block_at(run, 0)["block"]["header"]["height"], 999'960);
    EXPECT_EQ(block_at(run, 79)["block"]["header"]["height"], 1'000'039);
}

TEST(RepeatedRun, FindsEverythingByItsNewId) {
    const auto run = repeated(100);
    for (const std::uint64_t i : {3u, 39u, 75u}) {
        const json whole = block_at(run, i);
        EXPECT_EQ(run.find_block(run.hash(i)), i);
        for (const auto& shard : whole["shards"]) {
            const auto chunk = run.find_chunk(shard["chunk"]["header"]["chunk_hash"].get<std::string>());
            ASSERT_TRUE(chunk);
            EXPECT_EQ(chunk->position, i);
            for (const auto& item : shard["receipt_execution_outcomes"]) {
                const auto id = item["execution_outcome"]["id"].get<std::string>();
                ASSERT_TRUE(run.find_outcome(id));
                EXPECT_EQ(json::parse(run.find_outcome(id)->view()), item["execution_outcome"]);
                EXPECT_EQ(json::parse(run.find_receipt(id)->view()), item["receipt"]);
            }
        }
    }
    EXPECT_EQ(run.find_block(shifted(run.hash(3), 1'000)), std::nullopt) << "of a round beyond the run";
    EXPECT_EQ(run.find_block("EPnLgE7iEq9s7yTkos96M3cWymH5avBAPm3qx3NXqR8H"), std::nullopt);
}

TEST(RecordedRun, ServesTheFilesAsTheyAre) {
    const WholeBlockRun run(test::sample() / "whole-block", std::nullopt);
    EXPECT_EQ(run.size(), 36u);
    EXPECT_EQ(run.position_of(100'000'012), std::nullopt);
    EXPECT_EQ(block_at(run, *run.position_of(100'000'013))["block"]["header"]["prev_height"], 100'000'011);
    EXPECT_EQ(run.find_block(shifted(run.hash(3), 1)), std::nullopt);
    EXPECT_EQ(run.find_block(run.hash(3)), 3u);
}

TEST(RecordedRun, SaysWhichFolderHasNoBlocks) {
    EXPECT_THROW(WholeBlockRun("/nowhere", std::nullopt), std::runtime_error);
}

class RecordedMainnet : public receiptd::test::Recordings {};
RECEIPTD_WHERE_RECORDED(RecordedMainnet);

TEST_P(RecordedMainnet, RepeatsWithUniqueChainedBlocks) {
    Repeat repeat;
    repeat.blocks = 61;
    const WholeBlockRun run(root() / "whole-block", repeat);
    std::set<std::string> seen;
    std::string previous;
    for (std::uint64_t i = 0; i < run.size(); ++i) {
        const json whole = block_at(run, i);
        EXPECT_EQ(whole["block"]["header"]["height"], kFirstWhole + i);
        if (i >= 1) {
            EXPECT_EQ(whole["block"]["header"]["prev_hash"], previous);
        }
        previous = whole["block"]["header"]["hash"];
        for (const auto& id : own_ids(whole)) {
            EXPECT_TRUE(is_hash_text(id)) << id;
            EXPECT_TRUE(seen.insert(id).second) << id << " at " << i;
        }
    }
}

}  // namespace
}  // namespace receiptd::sandbox
