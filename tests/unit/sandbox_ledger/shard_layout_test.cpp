#include "sandbox/ledger/shard_layout.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <set>

namespace receiptd::sandbox {
namespace {

constexpr const char* kReadyMade[] = {"alice.sandbox",   "bob.sandbox",  "carol.sandbox",
                                      "relayer.sandbox", "ft.sandbox",   "receiver.sandbox",
                                      "script.sandbox",  "yield.sandbox"};

std::size_t shards_used(const ShardLayout& layout) {
    std::set<std::size_t> used;
    for (const char* account : kReadyMade) used.insert(layout.index_of(account));
    return used.size();
}

TEST(ShardLayout, ReadyMadeAccountsAreOnEveryShardWhileThereAreEnoughOfThem) {
    for (std::size_t shards = 1; shards <= 8; ++shards) EXPECT_EQ(shards_used(ShardLayout(shards)), shards);
}

TEST(ShardLayout, ABoundaryAccountBelongsToTheShardItOpens) {
    const ShardLayout layout(4);
    ASSERT_EQ(layout.boundary_accounts().size(), 3U);
    const std::string boundary = layout.boundary_accounts()[1];
    EXPECT_EQ(layout.index_of(boundary), 2U);
    EXPECT_EQ(layout.index_of(boundary.substr(0, boundary.size() - 1)), 1U);
    EXPECT_EQ(layout.index_of("00"), 0U);
    EXPECT_EQ(layout.index_of("zz"), 3U);
}

TEST(ShardLayout, IdsAndBoundariesAreDistinctAtEverySize) {
    for (std::size_t shards = 1; shards <= ShardLayout::kMaxShards; ++shards) {
        const ShardLayout layout(shards);
        EXPECT_EQ(std::set(layout.shard_ids().begin(), layout.shard_ids().end()).size(), shards);
        EXPECT_EQ(std::set(layout.boundary_accounts().begin(), layout.boundary_accounts().end()).size(),
                  shards - 1);
        for (std::size_t i = 0; i < shards; ++i) EXPECT_EQ(layout.index_of_shard(layout.shard_id(i)), i);
    }
    EXPECT_FALSE(ShardLayout(4).index_of_shard(999));
}

TEST(ShardLayout, RefusesNoShardsAndTooMany) {
    EXPECT_THROW(ShardLayout(0), std::invalid_argument);
    EXPECT_THROW(ShardLayout(ShardLayout::kMaxShards + 1), std::invalid_argument);
}

TEST(ShardLayout, IsToldAsAVersion2Layout) {
    const nlohmann::json layout = ShardLayout(3).to_json().at("V2");
    EXPECT_EQ(layout.at("boundary_accounts").size(), 2U);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto id = layout.at("index_to_id_map").at(std::to_string(i)).get<std::uint64_t>();
        EXPECT_EQ(layout.at("shard_ids").at(i), id);
        EXPECT_EQ(layout.at("id_to_index_map").at(std::to_string(id)), i);
    }
}

}  // namespace
}  // namespace receiptd::sandbox
