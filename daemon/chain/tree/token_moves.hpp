// Movements of tokens that contract events tell (NEP-141, NEP-171, NEP-245). Anybody may emit such an event:
// it counts for the tokens of the contract that emitted it. Pure.
#pragma once

#include "base/u128.hpp"
#include "chain/json/events.hpp"

#include <cstddef>
#include <vector>

namespace receiptd::chain {

struct TokenMove {
    std::size_t position = 0;  // among all that the event lists
    Text from;                 // empty: the tokens were made
    Text to;                   // empty: they were destroyed
    Text token;                // NEP-245: which of the contract's tokens; else empty
    base::u128 amount = 0;     // smallest units; pieces, where each is a token of its own (NEP-171)
};

// At most so many of one event are looked at: the chain allows 16 kB of logs in a receipt.
inline constexpr std::size_t kMostTokenMoves = 1'000;

// Empty for other events. Parts of the data that are not as the standard has them, move nothing, or name
// somebody who can have no account tell nothing. Valid until the next call on this thread.
std::vector<TokenMove> token_moves(const ContractEvent& event);

}  // namespace receiptd::chain
