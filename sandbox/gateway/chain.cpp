#include "sandbox/gateway/chain.hpp"

#include <array>
#include <utility>

namespace receiptd::sandbox {

namespace {

constexpr std::array<std::pair<ExecutionLevel, const char*>, 6> kLevels{{
    {ExecutionLevel::none, "NONE"},
    {ExecutionLevel::included, "INCLUDED"},
    {ExecutionLevel::executed_optimistic, "EXECUTED_OPTIMISTIC"},
    {ExecutionLevel::included_final, "INCLUDED_FINAL"},
    {ExecutionLevel::executed, "EXECUTED"},
    {ExecutionLevel::final, "FINAL"},
}};

}  // namespace

const char* to_string(ExecutionLevel level) {
    for (const auto& [each, name] : kLevels) {
        if (each == level) return name;
    }
    return "NONE";
}

std::optional<ExecutionLevel> parse_execution_level(std::string_view text) {
    for (const auto& [level, name] : kLevels) {
        if (name == text) return level;
    }
    return std::nullopt;
}

bool satisfies(ExecutionLevel level, ExecutionLevel wanted) {
    using enum ExecutionLevel;
    switch (wanted) {
        case none: return true;
        case included: return level != none;
        case executed_optimistic: return level == executed_optimistic || level == executed || level == final;
        case included_final: return level == included_final || level == executed || level == final;
        case executed: return level == executed || level == final;
        case final: return level == final;
    }
    return false;
}

}  // namespace receiptd::sandbox
