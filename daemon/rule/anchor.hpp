// The accounts without which a condition cannot hold: what a set of rules is indexed by.
#pragma once

#include "rule/condition.hpp"

#include <optional>
#include <string>
#include <vector>

namespace receiptd::rule {

// A condition holds only for subjects of which some account is one of these.
struct Anchor {
    std::vector<std::string> words;     // account ids
    std::vector<std::string> suffixes;  // ".alice.near": how the account ends
    std::vector<std::string> lists;     // names
};

// The one that fewest accounts satisfy, as far as that can be told. nullopt: the condition can hold whatever
// the accounts are.
std::optional<Anchor> anchor_of(const Condition& condition);

}  // namespace receiptd::rule
