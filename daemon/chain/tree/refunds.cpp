#include "chain/tree/refunds.hpp"

#include "base/checked.hpp"

#include <algorithm>

namespace receiptd::chain {

void Refunds::add(Text signer_id, Text receiver_id, u128 amount, Text transaction_signer_id) {
    const bool of_deposit = signer_id == kSystemAccount;
    auto& sum = of_deposit ? deposits : gas;
    sum = base::saturated_add(sum, amount);
    if (of_deposit && receiver_id == transaction_signer_id)
        deposits_to_signer = base::saturated_add(deposits_to_signer, amount);
}

u128 Refunds::net(u128 sent) const { return sent - std::min(sent, deposits_to_signer); }

}  // namespace receiptd::chain
