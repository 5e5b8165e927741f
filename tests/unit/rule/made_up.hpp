// Rules and lists as tests write them.
#pragma once

#include "rule/rule_set.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::rule::testing {

inline Definition definition(std::string_view json) {
    auto parsed = parse(json);
    if (parsed) return std::move(*parsed);
    std::string text = "refused: " + std::string(json);
    for (const auto& fault : parsed.error()) text += "\n  " + fault.path + " " + fault.text;
    throw std::invalid_argument(text);
}

// A rule of the kind with these conditions: {"receiver":"app.near"}.
inline Definition rule_of(std::string_view kind, std::string conditions) {
    const auto members = conditions == "{}" ? "}" : "," + conditions.substr(1);
    return definition(R"({"name":"r","kind":")" + std::string(kind) + "\"" + members);
}

inline bool matches(const Definition& rule, const Subject& subject, const Lists& lists = Lists()) {
    return !RuleSet({rule}, lists).match(subject).empty();
}

inline Lists one_list(std::string name, std::vector<std::string> accounts) {
    return Lists(std::vector<AccountList>{{std::move(name), std::move(accounts)}});
}

inline std::vector<std::string> faults_of(std::string_view json) {
    std::vector<std::string> texts;
    if (const auto parsed = parse(json); !parsed)
        for (const auto& fault : parsed.error()) texts.push_back(fault.path + " " + fault.text);
    return texts;
}

}  // namespace receiptd::rule::testing
