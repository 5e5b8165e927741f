// The accounts, or the method or other word, without which a condition cannot hold: what rules are indexed
// by.
#pragma once

#include "rule/condition.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::rule {

// Fields that anchor by one of their words; all accounts together anchor, too.
inline constexpr std::array kAnchorFields = {Field::event, Field::method, Field::error_class, Field::token};

// A condition holds only for subjects of which some account, or the value of `by`, is one of these.
struct Anchor {
    Field by = Field::account;          // any of a subject's accounts, else one of kAnchorFields
    std::vector<std::string> words;     // account ids, or values
    std::vector<std::string> suffixes;  // ".alice.near": how the account ends
    std::vector<std::string> lists;     // names
};

// The one that fewest subjects satisfy, as far as that can be told. nullopt: there is none.
std::optional<Anchor> anchor_of(const Condition& condition);

// A condition holds only for subjects whose JSON has one of these texts at the path.
struct ValueAnchor {
    bool in_args = false;  // else in an event's data
    JsonPath path;
    std::vector<std::string> words;
};
std::optional<ValueAnchor> value_anchor_of(const Condition& condition);

// A condition holds only for subjects with one of these receivers. Empty: that cannot be told.
std::vector<std::string> receivers_of(const Condition& condition);

}  // namespace receiptd::rule
