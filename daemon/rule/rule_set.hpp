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
    RuleSet with_lists(Lists lists) const;  // the same rules, which are not compiled anew

    // The rules that match, ascending. Of timed rules: those that count the subject.
    std::vector<RuleIndex> match(const Subject& subject) const;
    std::vector<std::string_view> match_names(const Subject& subject) const;

    // For the hot path, before a subject is made: the kinds of which a subject could match whose accounts
    // (signer, user, predecessor, receiver, that of a transfer) are among these. Never without a kind of
    // which match() would find a rule; empty accounts are ignored.
    Kinds kinds_for(std::span<const std::string_view> accounts) const;
    Kinds kinds_for(std::initializer_list<std::string_view> accounts) const {
        return kinds_for(std::span(accounts.begin(), accounts.size()));
    }
    bool may_match(Kind kind, std::span<const std::string_view> accounts) const {
        return (kinds_for(accounts) & bit(kind)) != 0;
    }
    bool may_match(Kind kind, std::initializer_list<std::string_view> accounts) const {
        return (kinds_for(accounts) & bit(kind)) != 0;
    }
    Kinds kinds() const;  // of all rules together

    std::span<const Definition> definitions() const;
    const Lists& lists() const { return lists_; }

private:
    struct Compiled;
    RuleSet(std::shared_ptr<const Compiled> compiled, Lists lists);
    template <class Use>
    void each_posting(std::string_view account, const Use& use) const;
    std::shared_ptr<const Compiled> compiled_;
    Lists lists_;
    std::vector<std::uint32_t> slot_of_list_;  // by ListId: where the rules that need the list are
};

}  // namespace receiptd::rule
