// Outcomes of real nodes lead to the roots that the chain has of them.
#include "chain/proof/outcomes_root.hpp"

#include "chain/json/decode.hpp"
#include "chain/proof/header_hash.hpp"

#include "support/recordings.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <set>
#include <string>

namespace receiptd::chain {
namespace {

Decoded<WholeBlock> whole_block(const std::filesystem::path& file) {
    auto block = decode_whole_block(test::read_file(file));
    EXPECT_TRUE(block) << file;
    auto& whole = block->value.block;
    whole.header.hash_is = header_hash(*block->document, whole.header);
    return std::move(*block);
}

// The root of each shard in the next block, where it has a new chunk there.
std::map<ShardId, Text> roots_in(const WholeBlock& next) {
    std::map<ShardId, Text> roots;
    for (const auto& chunk : next.block.chunks)
        if (chunk.height_included == next.block.header.height) roots[chunk.shard_id] = chunk.outcome_root;
    return roots;
}

TEST(OutcomesRoot, IsThatOfTheNextChunkOnMainnet) {
    const auto folder = test::kRecorded / "whole-block";
    std::size_t chunks = 0;
    for (const auto* pair : {"107503704", "34834052"}) {
        const auto block = whole_block(folder / (std::string(pair) + ".json"));
        const auto next = whole_block(folder / (std::to_string(std::stoull(pair) + 1) + ".json"));
        auto roots = roots_in(next.value);
        for (const auto& shard : block.value.shards) {
            if (!shard.chunk_header || !roots.contains(shard.shard_id)) continue;
            EXPECT_EQ(outcomes_root(shard)->to_string(), roots[shard.shard_id]) << pair;
            ++chunks;
        }
    }
    EXPECT_GT(chunks, 4U);
}

TEST(OutcomesRoot, DiffersWhereAnOutcomeIsChangedLeftOutOrAdded) {
    const auto block = whole_block(test::kRecorded / "whole-block" / "107503704.json");
    for (auto shard : block.value.shards) {
        if (shard.executed.size() < 3) continue;
        const auto root = outcomes_root(shard);
        auto other = shard;
        other.executed[0].outcome.gas_burnt += 1;
        EXPECT_NE(outcomes_root(other), root);
        other = shard;
        other.executed[1].outcome.status.kind = StatusKind::failure;
        other.executed[2].outcome.status.kind = StatusKind::failure;
        EXPECT_NE(outcomes_root(other), root);
        other = shard;
        other.executed.pop_back();
        EXPECT_NE(outcomes_root(other), root);
        other.executed.push_back(shard.executed.front());
        EXPECT_NE(outcomes_root(other), root);
        other = shard;
        other.executed[0].outcome.id = "no hash";
        EXPECT_EQ(outcomes_root(other), std::nullopt);
        return;
    }
    FAIL() << "no shard with three outcomes";
}

TEST(OutcomesRoot, ABlockCoversItsChunkHeadersAsTheyAre) {
    auto block = whole_block(test::kRecorded / "whole-block" / "107503704.json");
    auto& covered = block.value.block;
    EXPECT_TRUE(covers_chunks(covered));
    const auto chunks = covered.chunks;
    covered.chunks[0].outcome_root = kZeroHash;
    EXPECT_FALSE(covers_chunks(covered));
    covered.chunks = chunks;
    covered.chunks[0].height_included -= 1;
    EXPECT_FALSE(covers_chunks(covered));
    covered.chunks = chunks;
    covered.header.hash_is = HeaderHash::unknown_form;
    EXPECT_FALSE(covers_chunks(covered));
}

class RealNodes : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        if (!std::filesystem::exists(folder())) GTEST_SKIP() << "no recorded data at " << folder();
    }
    static std::filesystem::path folder() { return test::kShared / GetParam(); }
    static std::map<BlockHeight, std::filesystem::path> blocks() {
        std::map<BlockHeight, std::filesystem::path> blocks;
        for (const auto& file : test::recordings(folder() / "whole-block"))
            if (const auto name = file.stem().string(); std::isdigit(name.front()) != 0)
                blocks[std::stoull(name)] = file;
        return blocks;
    }
};

TEST_P(RealNodes, OutcomesOfWholeBlocksAndOfTreesLeadToTheRootsOfTheNextChunks) {
    struct Open {
        std::string root;
        std::string block_hash;
    };
    std::map<ShardId, Open> open;
    std::map<std::string, std::set<std::string>> roots_of;  // by the hash of the executing block
    std::size_t chunks = 0;
    for (const auto& [height, file] : blocks()) {
        auto block = whole_block(file);
        const auto& whole = block.value;
        EXPECT_TRUE(covers_chunks(whole.block)) << height;
        for (const auto& [shard_id, root] : roots_in(whole)) {
            if (!open.contains(shard_id)) continue;
            EXPECT_EQ(open[shard_id].root, root) << height;
            roots_of[open[shard_id].block_hash].emplace(root);
            ++chunks;
        }
        for (const auto& shard : whole.shards)
            if (shard.chunk_header)
                open[shard.shard_id] = {outcomes_root(shard)->to_string(),
                                        std::string(whole.block.header.hash)};
    }
    EXPECT_GT(chunks, 4'000U);
    std::size_t outcomes = 0;
    for (const auto& file : test::recordings(folder() / "tx")) {
        const auto status = decode_transaction_status(test::read_file(file));
        ASSERT_TRUE(status) << file;
        for (const auto& outcome : status->value.receipts_outcome) {
            const auto root = root_by_path(outcome);
            const auto roots = roots_of.find(std::string(outcome.block_hash));
            if (roots == roots_of.end()) continue;
            ++outcomes;
            EXPECT_TRUE(root && roots->second.contains(root->to_string())) << file << ' ' << outcome.id;
        }
    }
    EXPECT_GT(outcomes, 1'000U);
}

INSTANTIATE_TEST_SUITE_P(Nearcore, RealNodes, ::testing::Values("nearcore-84", "nearcore-86"),
                         [](const auto& of) { return "Protocol" + of.param.substr(of.param.size() - 2); });

}  // namespace
}  // namespace receiptd::chain
