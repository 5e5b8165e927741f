// How large a tree may be by the word of one host alone. What is larger costs memory and time, so a second
// host has to tell it alike; where only one is configured, its word has to do.
#pragma once

#include "chain/json/model.hpp"
#include "chain/json/protocol.hpp"
#include "chain/wire/hash.hpp"
#include "rpc/decoded_call.hpp"

#include <cstddef>
#include <string>

namespace receiptd::rpc {

// So many times what the protocol allows.
inline constexpr std::size_t kTimesAllowed = 10;
struct TreeLimits {
    // As many outcomes; as many children, and twice as many inputs, in sum.
    std::size_t receipts = kTimesAllowed * chain::protocol::kReceiptsOfATree;
    std::size_t input_ids = kTimesAllowed * chain::protocol::kInputsOfAReceipt;  // of one receipt
};

// Why the tree is beyond them; empty: it is not. Pure, and linear in the answer.
std::string beyond(const chain::TransactionStatus& status, const TreeLimits& limits);

// Two hosts agree on such a tree when its digest is the same: who made whom, what awaits what, how each
// ended.
chain::CryptoHash digest_of(const chain::TransactionStatus& status);

// Out of a protocol configuration, which one host tells: never below the limits above, nor above ten times
// these.
Decoder<TreeLimits> tree_limits_decoder();

}  // namespace receiptd::rpc
