// All rules together, indexed by kind and account.
#pragma once

#include "rule/definition.hpp"
#include "rule/lists.hpp"
#include "rule/subject.hpp"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace receiptd::rule {

using RuleIndex = std::uint32_t;  // position among the definitions, from 0

// Immutable, for any number of threads at once; copies are cheap.
class RuleSet {
public:
    RuleSet();  // no rules
    RuleSet(std::vector<Definition> definitions, Lists lists);
    // The same rules with other lists, without compiling them anew.
    RuleSet with_lists(Lists lists) const;

    // The rules that match, ascending. Of timed rules: those that count the subject.
    std::vector<RuleIndex> match(const Subject& subject) const;
    std::vector<std::string_view> match_names(const Subject& subject) const;

    // Whether a subject of the kind whose accounts are among these could match: for the hot path, before a
    // subject is made. Never false where match() would find a rule; empty accounts are ignored.
    bool may_match(Kind kind, std::span<const std::string_view> accounts) const;
    bool may_match(Kind kind, std::initializer_list<std::string_view> accounts) const {
        return may_match(kind, std::span(accounts.begin(), accounts.size()));
    }
    // Whether there are rules of the kind at all.
    bool has(Kind kind) const;

    std::span<const Definition> definitions() const;
    const Lists& lists() const { return lists_; }

private:
    struct Compiled;
    std::shared_ptr<const Compiled> compiled_;
    Lists lists_;
    std::vector<std::uint32_t> slot_of_list_;  // by ListId: where the rules that need the list are
};

}  // namespace receiptd::rule
