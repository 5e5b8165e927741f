// What a transaction asks for, from the bytes in which it was handed in: before it is in a block, no row of
// the history tells it.
#pragma once

#include "chain/tree/facts.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::storage {

struct SignedFacts {
    std::string receiver_id;
    chain::ActionFacts actions;
};

// nullopt: nobody can read it.
std::optional<SignedFacts> signed_facts(std::string_view signed_tx_base64);

}  // namespace receiptd::storage
