// Tokens that came back to people from a transaction's tree, in yoctoNEAR. Sums stop at 2^128 - 1. Pure.
#pragma once

#include "base/u128.hpp"
#include "chain/json/model.hpp"

namespace receiptd::chain {

struct Refunds {
    u128 gas = 0;
    u128 deposits = 0;
    u128 deposits_to_signer = 0;  // among these: to whoever signed the transaction

    // A refund that arrived; `signer_id` and `receiver_id` are its own. A deposit comes back signed by
    // `system`, gas in the name of the transaction's signer (chain-model.md §5.3).
    void add(Text signer_id, Text receiver_id, u128 amount, Text transaction_signer_id);
    // The part of what the transaction sent along that did not come back to its signer.
    u128 net(u128 sent) const;
};

}  // namespace receiptd::chain
