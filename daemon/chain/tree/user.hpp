// The account on whose behalf a relayer sent a transaction (docs/verdicts.md). Pure.
#pragma once

#include "chain/json/model.hpp"

namespace receiptd::chain {

// The sender of its Delegate action, or the ETH-implicit account whose wallet is asked for what its owner
// signed. Empty: whoever signed the transaction acts on its own behalf. A view of one of the arguments.
// `delegate_sender_id`: empty without a Delegate action.
Text relayed_user(Text signer_id, Text receiver_id, Text delegate_sender_id, Text method_name);
Text relayed_user(const SignedTransaction& transaction);

}  // namespace receiptd::chain
