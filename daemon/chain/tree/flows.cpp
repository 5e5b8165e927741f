#include "chain/tree/flows.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::chain {

namespace {

bool is_awaited_by(const Failure& failure, std::string_view receipt_id) {
    return std::any_of(failure.awaiters.begin(), failure.awaiters.end(),
                       [&](const Awaiter& awaiter) { return awaiter.receipt_id == receipt_id; });
}

}  // namespace

void Flows::add(Told&& told, std::vector<Failure>& failures) {
    auto& finding = told.finding;
    const auto flow = token_flow(finding.method_name, told.args_json, told.value_json);
    if (!flow) return;
    total_.kept = base::saturated_add(total_.kept, flow->kept);
    total_.returned = base::saturated_add(total_.returned, flow->returned);
    const auto effect = effect_of(*flow);
    if (!effect) return;
    bool of_failure = false;
    for (auto& failure : failures) {
        if (!is_awaited_by(failure, finding.receipt_id)) continue;
        failure.finding.effect = effect;
        of_failure = true;
    }
    if (of_failure || !told.in_scope) return;
    finding.kind = kind::kTokensReturned;
    finding.effect = effect;
    finding.flow = flow;
    findings_.push_back(std::move(finding));
}

}  // namespace receiptd::chain
