#include "chain/wire/delegate.hpp"
#include "sandbox/sim/access_rules.hpp"
#include "sandbox/sim/action_steps.hpp"
#include "sandbox/sim/error_json.hpp"
#include "sandbox/sim/fees.hpp"

namespace receiptd::sandbox::sim {

namespace {

struct Nonce {
    std::uint64_t nonce = 0;
    std::optional<std::uint16_t> index;
};
Nonce nonce_of(const wire::DelegateAction& action) { return {action.nonce, std::nullopt}; }
Nonce nonce_of(const wire::DelegateActionV2& action) {
    return {action.nonce.nonce, action.nonce.nonce_index};
}

Json delegate_key_error(Json error) { return variant("DelegateActionAccessKeyError", std::move(error)); }

// A plain nonce wants a plain key, and a nonce with an index a gas key that has this index.
ActionError check_kind_of_key(const wire::AccessKey& key, const Nonce& nonce) {
    const wire::GasKeyInfo* gas_key = gas_key_info(key);
    if (!nonce.index)
        return gas_key ? ActionError(delegate_key_error("DelegateActionRequiresNonGasKey")) : std::nullopt;
    if (!gas_key) return delegate_key_error("DelegateActionRequiresGasKey");
    if (*nonce.index < gas_key->num_nonces) return std::nullopt;
    return variant("DelegateActionInvalidNonceIndex",
                   payload({{"nonce_index", *nonce.index}, {"num_nonces", gas_key->num_nonces}}));
}

ActionError check_nonce(const Nonce& nonce, std::uint64_t key_nonce, Height height) {
    if (nonce.nonce <= key_nonce)
        return variant("DelegateActionInvalidNonce",
                       payload({{"delegate_nonce", nonce.nonce}, {"ak_nonce", key_nonce}}));
    const std::uint64_t bound = nonce_upper_bound(height);
    if (nonce.nonce >= bound)
        return variant("DelegateActionNonceTooLarge",
                       payload({{"delegate_nonce", nonce.nonce}, {"upper_bound", bound}}));
    return std::nullopt;
}

// Checks the user's key and bumps its nonce.
template <class Delegate>
ActionError use_key(ActionFrame& frame, const Delegate& action) {
    auto key = frame.state.access_key(action.sender_id, action.public_key);
    if (!key) return delegate_key_error(key_error("AccessKeyNotFound", action.sender_id, action.public_key));
    const Nonce nonce = nonce_of(action);
    if (auto error = check_kind_of_key(*key, nonce)) return error;
    std::uint64_t& key_nonce = nonce_at(*key, nonce.index);
    if (auto error = check_nonce(nonce, key_nonce, frame.block.height)) return error;
    if (const auto* permission = function_call_permission(*key))
        if (auto error = check_permission(*permission, action.actions, action.receiver_id))
            return delegate_key_error(std::move(*error));
    key_nonce = nonce.nonce;
    frame.state.set_access_key(action.sender_id, action.public_key, *key);
    return std::nullopt;
}

// Everything the inner receipt needs was charged to the relayer when the transaction was converted:
// its deposits are in the receipt, its gas counts as used here and is its own from now on.
template <class Delegate>
void send_inner_receipt(ActionFrame& frame, const Delegate& action) {
    const Protocol& protocol = *frame.block.protocol;
    const Gas sent = send_fees(protocol, action.actions, action.sender_id, action.receiver_id);
    frame.gas_burnt += sent;
    frame.gas_used += sent + purchased_gas(protocol, action.actions, action.receiver_id).value();
    ActionReceipt body;
    body.signer_id = frame.body.signer_id;
    body.signer_public_key = frame.body.signer_public_key;
    body.gas_price = frame.body.gas_price;
    body.actions = action.actions;
    frame.new_receipts.push_back({{}, action.sender_id, action.receiver_id, std::move(body)});
}

template <class SignedDelegate>
ActionError apply(ActionFrame& frame, const SignedDelegate& delegate) {
    const auto& action = delegate.delegate_action;
    if (wire::check_delegate(delegate) != chain::SignatureCheck::valid)
        return "DelegateActionInvalidSignature";
    if (frame.block.height > action.max_block_height) return "DelegateActionExpired";
    if (action.sender_id != frame.receipt.receiver_id)
        return variant(
            "DelegateActionSenderDoesNotMatchTxReceiver",
            payload({{"sender_id", action.sender_id}, {"receiver_id", frame.receipt.receiver_id}}));
    if (auto error = use_key(frame, action)) return error;
    send_inner_receipt(frame, action);
    return std::nullopt;
}

}  // namespace

ActionError apply_delegate(ActionFrame& frame, const wire::SignedDelegate& action) {
    return apply(frame, action);
}

ActionError apply_delegate(ActionFrame& frame, const wire::SignedDelegateV2& action) {
    return apply(frame, action);
}

}  // namespace receiptd::sandbox::sim
