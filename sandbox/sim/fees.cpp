#include "sandbox/sim/fees.hpp"

#include "chain/wire/account_id.hpp"
#include "sandbox/sim/checked.hpp"

namespace receiptd::sandbox::sim {

namespace {

constexpr Fee equal_fee(Gas gas) { return {gas, gas, gas}; }

// The rows that are the same in all versions.
constexpr Fee kActionReceipt = equal_fee(108'059'500'000);
constexpr Fee kDeleteAccountFee = equal_fee(147'489'000'000);
constexpr Fee kDeployBase = equal_fee(184'765'750'000);
constexpr Fee kDeployPerByte = {6'812'999, 47'683'715, 64'572'944};
constexpr Fee kCallBase = {200'000'000'000, 200'000'000'000, 780'000'000'000};
constexpr Fee kCallPerByte = {2'235'934, 47'683'715, 2'235'934};
constexpr Fee kTransferFee = equal_fee(115'123'062'500);
constexpr Fee kStakeFee = {141'715'687'500, 141'715'687'500, 102'217'625'000};
constexpr Fee kAddFullKey = equal_fee(101'765'125'000);
constexpr Fee kAddCallKey = equal_fee(102'217'625'000);
constexpr Fee kAddCallKeyPerByte = {1'925'331, 47'683'715, 1'925'331};
constexpr Fee kDeleteKeyFee = equal_fee(94'946'625'000);
constexpr Fee kDelegateFee = equal_fee(200'000'000'000);
constexpr Fee kDataBase = equal_fee(36'486'732'312);
constexpr Fee kDataPerByte = {17'212'011, 47'683'715, 17'212'011};
constexpr Fee kGlobalPerByte = {6'812'999, 47'683'715, 70'000'000};
constexpr Fee kStateInitEntry = {0, 0, 200'000'000'000};
constexpr Fee kStateInitPerByte = {72'000'000, 72'000'000, 70'000'000};
constexpr Fee kGasKeyMoney = {115'123'062'500, 115'123'062'500, 235'676'644'250};

// Adding a gas key also sends its two numbers, and writes a record for each of its nonces.
constexpr Gas kGasKeySendByte = 59'357'464;
constexpr Gas kGasKeySentBytes = 18;
constexpr Gas kGasKeyNonceBase = 64'196'736'000;
constexpr Gas kGasKeyNonceByte = 101'435'400;
constexpr Gas kGasKeyNonceBytes = 12;  // besides the account's id and the key

Fee operator+(const Fee& a, const Fee& b) {
    return {a.send_to_self + b.send_to_self, a.send_to_other + b.send_to_other, a.exec + b.exec};
}

Fee operator*(const Fee& fee, std::size_t times) {
    return {fee.send_to_self * times, fee.send_to_other * times, fee.exec * times};
}

std::size_t id_bytes(const wire::GlobalContractId& contract) {
    const auto* account = std::get_if<std::string>(&contract);
    return account ? account->size() : sizeof(CryptoHash::bytes);
}

const wire::GasKeyInfo* info_of_gas_key(const wire::Permission& permission) {
    if (const auto* full = std::get_if<wire::GasKeyFullAccess>(&permission)) return &full->gas_key;
    if (const auto* call = std::get_if<wire::GasKeyFunctionCall>(&permission)) return &call->gas_key;
    return nullptr;
}

Fee permission_fee(const wire::Permission& permission) {
    const auto* call = std::get_if<wire::FunctionCallPermission>(&permission);
    if (const auto* gas_key = std::get_if<wire::GasKeyFunctionCall>(&permission))
        call = &gas_key->function_call;
    if (call == nullptr) return kAddFullKey;
    std::size_t bytes = 0;
    for (const std::string& name : call->method_names) bytes += name.size() + 1;  // as if zero-terminated
    return kAddCallKey + kAddCallKeyPerByte * bytes;
}

Fee add_key_fee(const wire::AddKey& action, std::string_view receiver_id) {
    const Fee fee = permission_fee(action.access_key.permission);
    const wire::GasKeyInfo* gas_key = info_of_gas_key(action.access_key.permission);
    if (gas_key == nullptr) return fee;
    const Gas key_bytes = 1 + action.public_key.raw().size();
    const Gas nonce =
        kGasKeyNonceBase + kGasKeyNonceByte * (kGasKeyNonceBytes + receiver_id.size() + key_bytes);
    const Gas sent = kGasKeySendByte * kGasKeySentBytes;
    return fee + Fee{sent, sent, gas_key->num_nonces * nonce};
}

// An implicit account is paid for whether or not it is there already.
Fee transfer_fee(const Protocol& protocol, std::string_view receiver_id) {
    switch (chain::account_kind(receiver_id)) {
        case chain::AccountKind::named: return kTransferFee;
        case chain::AccountKind::near_implicit: return kTransferFee + protocol.create_account + kAddFullKey;
        default: return kTransferFee + protocol.create_account;
    }
}

Fee state_init_fee(const Protocol& protocol, const wire::StateInit& init) {
    std::size_t bytes = id_bytes(init.code);
    for (const auto& [key, value] : init.data) bytes += key.size() + value.size();
    return protocol.state_init + kStateInitEntry * init.data.size() + kStateInitPerByte * bytes;
}

struct FeeOfAction {
    const Protocol& protocol;
    std::string_view receiver_id;

    Fee operator()(const wire::CreateAccount&) const { return protocol.create_account; }
    Fee operator()(const wire::DeployContract& a) const {
        return kDeployBase + kDeployPerByte * a.code.size();
    }
    Fee operator()(const wire::FunctionCall& a) const {
        return kCallBase + kCallPerByte * (a.method_name.size() + a.args.size());
    }
    Fee operator()(const wire::Transfer&) const { return transfer_fee(protocol, receiver_id); }
    Fee operator()(const wire::Stake&) const { return kStakeFee; }
    Fee operator()(const wire::AddKey& a) const { return add_key_fee(a, receiver_id); }
    Fee operator()(const wire::DeleteKey&) const { return kDeleteKeyFee; }
    Fee operator()(const wire::DeleteAccount&) const { return kDeleteAccountFee; }
    Fee operator()(const wire::SignedDelegate& a) const { return delegate_fee(a.delegate_action); }
    Fee operator()(const wire::SignedDelegateV2& a) const { return delegate_fee(a.delegate_action); }
    Fee operator()(const wire::DeployGlobalContract& a) const {
        return kDeployBase + kGlobalPerByte * a.code.size();
    }
    Fee operator()(const wire::UseGlobalContract& a) const {
        return kDeployBase + kDeployPerByte * id_bytes(a.contract);
    }
    Fee operator()(const wire::DeterministicStateInit& a) const {
        return state_init_fee(protocol, a.state_init);
    }
    Fee operator()(const wire::TransferToGasKey&) const { return kGasKeyMoney; }
    Fee operator()(const wire::WithdrawFromGasKey&) const { return kGasKeyMoney; }
    Fee operator()(const wire::UniversalStateInit&) const { return {}; }  // refused before
    Fee operator()(const wire::UnknownActions&) const { return {}; }      // as well

    template <class Delegate>
    Fee delegate_fee(const Delegate& delegate) const {
        Fee fee = kDelegateFee;
        for (const wire::Action& inner : delegate.actions) {
            Fee sent = action_fee(protocol, inner, delegate.receiver_id);
            sent.exec = 0;
            fee = fee + sent;
        }
        return fee;
    }
};

// Calls `visit` with the delegate action inside, if it is one.
template <class Visit>
bool visit_delegate(const wire::Action& action, Visit&& visit) {
    if (const auto* v1 = std::get_if<wire::SignedDelegate>(&action.value)) {
        visit(v1->delegate_action);
        return true;
    }
    if (const auto* v2 = std::get_if<wire::SignedDelegateV2>(&action.value)) {
        visit(v2->delegate_action);
        return true;
    }
    return false;
}

u128 deposit_of_action(const wire::Action& action) {
    if (const auto* call = std::get_if<wire::FunctionCall>(&action.value)) return call->deposit;
    if (const auto* transfer = std::get_if<wire::Transfer>(&action.value)) return transfer->deposit;
    if (const auto* init = std::get_if<wire::DeterministicStateInit>(&action.value)) return init->deposit;
    if (const auto* gas_key = std::get_if<wire::TransferToGasKey>(&action.value)) return gas_key->deposit;
    if (const auto* init = std::get_if<wire::UniversalStateInit>(&action.value)) return init->deposit;
    return 0;
}

}  // namespace

Fee receipt_fee() { return kActionReceipt; }

Fee action_fee(const Protocol& protocol, const wire::Action& action, std::string_view receiver_id) {
    return std::visit(FeeOfAction{protocol, receiver_id}, action.value);
}

Gas data_receipt_base_fee(bool to_self) {
    return (to_self ? kDataBase.send_to_self : kDataBase.send_to_other) + kDataBase.exec;
}

Gas data_receipt_byte_fee(bool to_self) {
    return (to_self ? kDataPerByte.send_to_self : kDataPerByte.send_to_other) + kDataPerByte.exec;
}

std::optional<Gas> prepaid_gas(std::span<const wire::Action> actions) {
    std::optional<Gas> sum = Gas{0};
    for (const wire::Action& action : actions) {
        std::optional<Gas> part = Gas{0};
        if (const auto* call = std::get_if<wire::FunctionCall>(&action.value)) part = call->gas;
        visit_delegate(action, [&](const auto& delegate) { part = prepaid_gas(delegate.actions); });
        sum = checked_add(sum, part);
    }
    return sum;
}

std::optional<Gas> purchased_gas(const Protocol& protocol, std::span<const wire::Action> actions,
                                 std::string_view receiver_id) {
    std::optional<Gas> sum = kActionReceipt.exec;
    for (const wire::Action& action : actions) {
        sum = checked_add(sum, std::optional(action_fee(protocol, action, receiver_id).exec));
        if (const auto* call = std::get_if<wire::FunctionCall>(&action.value))
            sum = checked_add(sum, std::optional(call->gas));
        visit_delegate(action, [&](const auto& inner) {
            const Gas sent = send_fees(protocol, inner.actions, inner.sender_id, inner.receiver_id);
            sum = checked_add(sum, std::optional(sent));
            sum = checked_add(sum, purchased_gas(protocol, inner.actions, inner.receiver_id));
        });
    }
    return sum;
}

Gas send_fees(const Protocol& protocol, std::span<const wire::Action> actions, std::string_view sender_id,
              std::string_view receiver_id) {
    Fee sum = kActionReceipt;
    for (const wire::Action& action : actions) sum = sum + action_fee(protocol, action, receiver_id);
    return sender_id == receiver_id ? sum.send_to_self : sum.send_to_other;
}

std::optional<u128> total_deposit(std::span<const wire::Action> actions) {
    std::optional<u128> sum = u128{0};
    for (const wire::Action& action : actions) {
        std::optional<u128> part = deposit_of_action(action);
        visit_delegate(action, [&](const auto& delegate) { part = total_deposit(delegate.actions); });
        sum = checked_add(sum, part);
    }
    return sum;
}

std::optional<TransactionCost> transaction_cost(const Protocol& protocol,
                                                const wire::Transaction& transaction, u128 block_gas_price) {
    const auto remaining = purchased_gas(protocol, transaction.actions, transaction.receiver_id);
    const auto deposits = total_deposit(transaction.actions);
    if (!remaining || !deposits) return std::nullopt;
    TransactionCost cost;
    cost.burnt = send_fees(protocol, transaction.actions, transaction.signer_id, transaction.receiver_id);
    cost.remaining = *remaining;
    cost.deposits = *deposits;
    const auto at_once = checked_multiply<u128>(cost.burnt, block_gas_price);
    const auto for_later = checked_multiply<u128>(cost.remaining, protocol.purchase_price(block_gas_price));
    const auto total = checked_add(checked_add(at_once, for_later), deposits);
    if (!total) return std::nullopt;
    cost.total = *total;
    return cost;
}

}  // namespace receiptd::sandbox::sim
