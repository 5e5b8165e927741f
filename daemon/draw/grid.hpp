// Where a tree's parts stand: a row for each block, a lane for each shard. Pure.
#pragma once

#include "chain/tree/judgement.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::draw {

struct Row {
    enum class Kind : std::uint8_t { block, unknown_block, pending };
    Kind kind = Kind::block;
    chain::BlockHeight height = 0;        // of a block
    std::uint64_t timestamp_nanosec = 0;  // 0: not known
    std::uint64_t idle_before = 0;        // blocks that ran no part of the tree, since the row above
};

struct Lane {
    std::string name;  // "shard 3"; where no shard is known, an account
};

struct Place {
    std::size_t row = 0;
    std::size_t lane = 0;
};

struct Grid {
    std::vector<Row> rows;
    std::vector<Lane> lanes;  // one at least
    bool lanes_are_accounts = false;
    Place transaction;
    std::vector<Place> receipts;  // as they were given
};

// Where no receipt's shard is known the lanes are those of accounts. One whose shard alone is not known
// stands with others of its account, else in a lane of its own.
Grid make_grid(const std::optional<chain::TransactionFacts>& transaction, const chain::Judgement& tree,
               const std::vector<const chain::JudgedReceipt*>& receipts);

}  // namespace receiptd::draw
