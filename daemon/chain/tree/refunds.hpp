// Tokens that came back to people from a transaction's tree, in yoctoNEAR. Sums stop at 2^128 - 1. Pure.
#pragma once

#include "chain/tree/effect.hpp"

namespace receiptd::chain {

struct Refunds {
    u128 gas = 0;
    u128 deposits = 0;
    u128 deposits_to_signer = 0;  // among these: to whoever signed the transaction
    u128 given_back = 0;          // deposits of failed calls, to the signer or to the user behind a relayer

    struct Refund {  // one that arrived
        Text signer_id;
        Text receiver_id;
        u128 amount = 0;
        bool after_failure = false;  // the receipt that made it failed
    };
    // A deposit comes back signed by `system`, gas in the name of the transaction's signer
    // (chain-model.md §5.3).
    void add(const Refund& refund, Text transaction_signer_id, Text user_id);
    // What came back of all that was sent. One yoctoNEAR is sent along as a proof that a full key signed: no
    // flow.
    TokenFlow flow(u128 sent) const;
    // The part of what the transaction sent along that did not come back to its signer.
    u128 net(u128 sent) const;
};

}  // namespace receiptd::chain
