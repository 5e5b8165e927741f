// The edges of a tree's picture. Pure.
#pragma once

#include "chain/tree/judgement.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace receiptd::draw {

struct Edge {
    // spawn: an outcome made the receipt. data: the receipt awaited the other's result.
    enum class Kind : std::uint8_t { spawn, data };
    enum class Tone : std::uint8_t { plain, result, handled, failed };
    Kind kind = Kind::spawn;
    Tone tone = Tone::plain;
    bool pending = false;  // it leads to what has not run yet
    bool quiet = false;    // to a refund or payout
    std::size_t from = 0;  // 0: the transaction; i + 1: receipts[i]
    std::size_t to = 0;
};

// Between the given receipts and the transaction. Those that lead to a failure that nobody handled have tone
// `failed`, from the transaction down.
std::vector<Edge> edges_of(const chain::Judgement& tree,
                           const std::vector<const chain::JudgedReceipt*>& receipts);

}  // namespace receiptd::draw
