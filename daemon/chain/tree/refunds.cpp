#include "chain/tree/refunds.hpp"

#include "base/checked.hpp"

#include <algorithm>

namespace receiptd::chain {

void Refunds::add(const Refund& refund, Text transaction_signer_id, Text user_id) {
    const bool of_deposit = refund.signer_id == kSystemAccount;
    const auto add_to = [&](u128& sum) { sum = base::saturated_add(sum, refund.amount); };
    add_to(of_deposit ? deposits : gas);
    if (!of_deposit) return;
    const bool to_signer = refund.receiver_id == transaction_signer_id;
    if (to_signer) add_to(deposits_to_signer);
    if (refund.after_failure && (to_signer || (!user_id.empty() && refund.receiver_id == user_id)))
        add_to(given_back);
}

TokenFlow Refunds::flow(u128 sent) const {
    if (sent <= 1) return {};
    const auto back = std::min(sent, given_back);
    return {sent - back, back};
}

u128 Refunds::net(u128 sent) const { return sent - std::min(sent, deposits_to_signer); }

}  // namespace receiptd::chain
