#include "chain/tree/silence.hpp"

namespace receiptd::chain {

bool speaks(const Outcome& outcome) {
    const auto& status = outcome.status;
    const bool value = !status.success_value.empty() && status.success_value != kNullInBase64;
    return !outcome.logs.empty() || value || !status.success_receipt_id.empty();
}

void Silence::succeeded(std::string_view receipt_id, bool speaks, std::size_t children) {
    if (!speaks) children_left_.insert_or_assign(std::string(receipt_id), children);
}

void Silence::child_of(std::string_view parent_id, bool from_system) {
    const auto parent = children_left_.find(parent_id);
    if (parent == children_left_.end() || parent->second == 0) return;
    if (from_system)
        --parent->second;
    else
        children_left_.erase(parent);
}

Silence::Word Silence::of(std::string_view receipt_id, bool all_executed) const {
    const auto found = children_left_.find(receipt_id);
    if (found == children_left_.end()) return Word::told;
    return found->second == 0 || all_executed ? Word::nothing : Word::open;
}

void decide_effects(std::vector<Failure>& failures, const Silence& silence, bool all_executed) {
    for (auto& failure : failures) {
        auto& finding = failure.finding;
        if (failure.handling != Handling::handled || finding.effect) continue;
        bool open = false;
        for (const auto& receipt_id : finding.handled_by) {
            const auto word = silence.of(receipt_id, all_executed);
            if (word == Silence::Word::told) finding.effect = Effect::told;
            open = open || word == Silence::Word::open;
        }
        if (!finding.effect && !open) finding.effect = Effect::swallowed;
    }
}

std::optional<Effect> effect_of(const std::vector<Failure>& failures, const Effects& effects) {
    if (effects.lost > 0) return Effect::tokens_lost;
    if (effects.of_flows) return effects.of_flows;
    if (const auto of_deposits = effect_of(effects.of_deposits)) return of_deposits;
    std::optional<Effect> effect;
    for (const auto& failure : failures) {
        if (failure.handling != Handling::handled) continue;
        if (failure.finding.effect == Effect::swallowed) return Effect::swallowed;
        effect = failure.finding.effect;
    }
    return effect;
}

}  // namespace receiptd::chain
