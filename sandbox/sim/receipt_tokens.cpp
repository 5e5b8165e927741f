#include "sandbox/sim/receipt_tokens.hpp"

#include "sandbox/sim/fees.hpp"

namespace receiptd::sandbox::sim {

namespace {

Receipt system_transfer(const std::string& receiver_id, const std::string& signer_id,
                        const PublicKey& signer_public_key, u128 amount) {
    ActionReceipt body;
    body.signer_id = signer_id;
    body.signer_public_key = signer_public_key;
    body.actions.push_back({wire::Transfer{amount}});
    Receipt refund;
    refund.predecessor_id = kSystemAccount;
    refund.receiver_id = receiver_id;
    refund.body = std::move(body);
    return refund;
}

}  // namespace

Gas gas_in(const Protocol& protocol, const Receipt& receipt) {
    const auto* body = std::get_if<ActionReceipt>(&receipt.body);
    if (body == nullptr || receipt.predecessor_id == kSystemAccount) return 0;
    // It was counted when it was bought, so it does fit.
    return purchased_gas(protocol, body->actions, receipt.receiver_id).value_or(0);
}

u128 tokens_in(const Protocol& protocol, const Receipt& receipt) {
    const auto* body = std::get_if<ActionReceipt>(&receipt.body);
    if (body == nullptr) return 0;
    return total_deposit(body->actions).value_or(0) + gas_in(protocol, receipt) * body->gas_price;
}

Receipt deposit_refund(const Receipt& receipt, u128 amount) {
    return system_transfer(receipt.predecessor_id, kSystemAccount, PublicKey{}, amount);
}

Receipt gas_refund(const ActionReceipt& receipt, u128 amount) {
    return system_transfer(receipt.signer_id, receipt.signer_id, receipt.signer_public_key, amount);
}

}  // namespace receiptd::sandbox::sim
