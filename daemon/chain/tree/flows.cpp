#include "chain/tree/flows.hpp"

#include "base/checked.hpp"
#include "chain/tree/losses.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::chain {

void Flows::add(Told&& told, bool awaited_a_failure) {
    auto& finding = told.finding;
    auto flow = token_flow(finding.method_name, told.args_json, told.value_json);
    if (!flow) return;
    if (told.gone > 0) {  // the callback's value counts these among the kept ones
        flow->kept -= std::min(flow->kept, told.gone);
        lose(told);
    }
    total_.kept = base::saturated_add(total_.kept, flow->kept);
    total_.returned = base::saturated_add(total_.returned, flow->returned);
    const auto effect = told.gone > 0 ? Effect::tokens_lost : effect_of(*flow);
    if (!effect) return;
    if (awaited_a_failure) given_.insert_or_assign(finding.receipt_id, Given{*effect, ++turn_});
    if (awaited_a_failure || told.gone > 0 || !told.in_scope) return;
    finding.kind = kind::kTokensReturned;
    finding.effect = effect;
    finding.flow = flow;
    findings_.push_back(std::move(finding));
}

void Flows::lose(const Told& told) {
    is_lost_ = true;
    if (!told.in_scope) return;
    auto& finding = findings_.emplace_back(told.finding);
    finding.kind = kind::kBurntTokens;
    finding.failure = {std::string(kSenderGone), gone_in_words(told.gone)};
}

void Flows::give_effects(std::vector<Failure>& failures) const {
    if (given_.empty()) return;
    for (auto& failure : failures) {
        const Given* last = nullptr;
        for (const auto& awaiter : failure.awaiters) {
            const auto given = given_.find(awaiter.receipt_id);
            if (given != given_.end() && (!last || given->second.turn > last->turn)) last = &given->second;
        }
        if (last) failure.finding.effect = last->effect;
    }
}

}  // namespace receiptd::chain
