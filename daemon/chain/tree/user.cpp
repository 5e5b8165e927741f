#include "chain/tree/user.hpp"

#include "chain/tree/facts.hpp"
#include "chain/tree/wallet.hpp"
#include "chain/wire/account_id.hpp"

namespace receiptd::chain {

Text relayed_user(Text signer_id, Text receiver_id, Text delegate_sender_id, Text method_name) {
    Text user = delegate_sender_id;
    const bool asks_wallet =
        method_name == kWalletMethod && account_kind(receiver_id) == AccountKind::eth_implicit;
    if (user.empty() && asks_wallet) user = receiver_id;
    return user == signer_id ? Text() : user;
}

Text relayed_user(const SignedTransaction& transaction) {
    Text delegate_sender_id;
    for (const auto& action : transaction.actions)
        if (delegate_sender_id.empty()) delegate_sender_id = action.delegate_sender_id;
    return relayed_user(transaction.signer_id, transaction.receiver_id, delegate_sender_id,
                        called_method(transaction.actions));
}

}  // namespace receiptd::chain
