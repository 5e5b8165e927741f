// The account on whose behalf a relayer sent a transaction (docs/verdicts.md). Pure.
#pragma once

#include "chain/json/model.hpp"

#include <string>

namespace receiptd::chain {

// The account that a transaction names: the sender of its Delegate action, or the ETH-implicit account whose
// wallet is asked for what its owner signed. Empty: the signer acts on its own behalf. A relayer can name any
// account: the named one is the user once the initial receipt, which checks its signature, has succeeded.
// A view of one of the arguments. `delegate_sender_id`: empty without a Delegate action.
Text relayed_user(Text signer_id, Text receiver_id, Text delegate_sender_id, Text method_name);
Text relayed_user(const SignedTransaction& transaction);

// Both empty: the signer acts on its own behalf. Else one of them has the named account.
struct User {
    std::string id;          // it signed
    std::string claimed_id;  // nothing proves that it signed (yet)

    void disown() {
        if (claimed_id.empty()) claimed_id.swap(id);
    }
    friend bool operator==(const User&, const User&) = default;
};

}  // namespace receiptd::chain
