// The one table of the keys that are conditions (docs/rules.md).
#pragma once

#include "rule/condition.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace receiptd::rule {

enum class Form : std::uint8_t {
    accounts,  // account ids, globs and "@list"
    token,     // the same, or "near"
    words,     // globs without blanks
    text,      // globs
    standard,  // of events: globs, "nep141"
    choices,   // ConditionKey::choices
    flags,     // true, false
    at_least,  // an amount
    at_most,
    actions,
    where,  // tables that ask about JSON
    any,    // tables of conditions
    all,
    negation,  // one table of conditions
};

struct ConditionKey {
    std::string_view name;
    Form form = Form::words;
    Field field = Field::signer;
    Kinds kinds = 0;  // whose subjects can have the value
    std::span<const std::string_view> choices = {};
};

std::span<const ConditionKey> condition_keys();
const ConditionKey* find_condition_key(std::string_view name);  // null: there is none

// Stages of a watched transaction: all of them, those of kind "end", and those of kind "latency".
std::span<const std::string_view> stages();
std::span<const std::string_view> end_stages();
std::span<const std::string_view> latency_stages();

}  // namespace receiptd::rule
