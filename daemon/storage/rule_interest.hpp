// What alert rules ask of receipts, for those who write rows.
#pragma once

#include "chain/tree/happening.hpp"
#include "rule/rule_set.hpp"

#include <span>
#include <utility>

namespace receiptd::storage {

// Kinds of subjects that are happenings of receipts. Who is told at once is told of no absence.
inline constexpr rule::Kinds kToldAtOnce =
    bit(rule::Kind::event) | bit(rule::Kind::transfer) | bit(rule::Kind::key_added);
inline constexpr rule::Kinds kOfDoneReceipts = kToldAtOnce | bit(rule::Kind::absence);

inline chain::HappeningKinds happening_kinds(rule::Kinds kinds) {
    chain::HappeningKinds found = 0;
    const auto add = [&](rule::Kind kind, chain::HappeningKind as) {
        if ((kinds & bit(kind)) != 0) found |= bit(as);
    };
    add(rule::Kind::event, chain::HappeningKind::event);
    add(rule::Kind::transfer, chain::HappeningKind::transfer);
    add(rule::Kind::key_added, chain::HappeningKind::key_added);
    add(rule::Kind::absence, chain::HappeningKind::success);
    return found;
}

class RuleInterest final : public chain::Interest {
public:
    // Other kinds than these are not asked for.
    explicit RuleInterest(rule::RuleSet rules, rule::Kinds kinds = kToldAtOnce)
        : rules_(std::move(rules)), mask_(kinds), kinds_(happening_kinds(rules_.kinds() & kinds)) {}

    chain::HappeningKinds kinds() const override { return kinds_; }
    chain::HappeningKinds kinds_for(std::span<const chain::Text> accounts) const override {
        return happening_kinds(rules_.kinds_for(accounts) & mask_);
    }
    const rule::RuleSet& rules() const { return rules_; }

private:
    rule::RuleSet rules_;
    rule::Kinds mask_;
    chain::HappeningKinds kinds_;
};

}  // namespace receiptd::storage
