#include "chain/wire/fees.hpp"

#include "base/checked.hpp"
#include "chain/wire/account_id.hpp"

namespace receiptd::chain::wire {

using base::checked_add;
using base::checked_multiply;

namespace {

struct Fee {
    Gas send_to_self;
    Gas send_to_other;
    Gas exec;
};
constexpr Fee same(Gas gas) { return {gas, gas, gas}; }

// The table of chain-model.md §8.1.
constexpr Fee kReceipt = same(108059500000);
constexpr Fee kCreateAccount = same(3850000000000);
constexpr Fee kDeleteAccount = same(147489000000);
constexpr Fee kDeploy = same(184765750000);
constexpr Fee kDeployByte = {6812999, 47683715, 64572944};
constexpr Fee kFunctionCall = {200000000000, 200000000000, 780000000000};
constexpr Fee kFunctionCallByte = {2235934, 47683715, 2235934};
constexpr Fee kTransfer = same(115123062500);
constexpr Fee kStake = {141715687500, 141715687500, 102217625000};
constexpr Fee kAddFullAccessKey = same(101765125000);
constexpr Fee kAddFunctionCallKey = same(102217625000);
constexpr Fee kAddFunctionCallKeyByte = {1925331, 47683715, 1925331};
constexpr Fee kDeleteKey = same(94946625000);
constexpr Fee kDelegate = same(200000000000);
constexpr Fee kDataReceipt = same(36486732312);
constexpr Fee kDataReceiptByte = {17212011, 47683715, 17212011};
constexpr Fee kDeployGlobal = same(184765750000);
constexpr Fee kDeployGlobalByte = {6812999, 47683715, 70000000};
constexpr Fee kUseGlobal = same(184765750000);
constexpr Fee kUseGlobalByte = {6812999, 47683715, 64572944};
constexpr Fee kStateInit = {3850000000000, 3850000000000, 4080000000000};
constexpr Fee kStateInitEntry = {0, 0, 200000000000};
constexpr Fee kStateInitByte = {72000000, 72000000, 70000000};
constexpr Fee kGasKeyTransfer = {115123062500, 115123062500, 235676644250};

// Columns of the table.
enum class Column : std::uint8_t { send_to_self, send_to_other, exec };

Gas cost(const Fee& fee, Column column, std::size_t times = 1) {
    const Gas gas = column == Column::exec           ? fee.exec
                    : column == Column::send_to_self ? fee.send_to_self
                                                     : fee.send_to_other;
    return gas * times;
}

std::size_t bytes_of(const GlobalContractId& contract) {
    const auto* account = std::get_if<std::string>(&contract);
    return account ? account->size() : CryptoHash{}.bytes.size();
}

Gas add_key_cost(const Permission& permission, Column column) {
    const auto* call = std::get_if<FunctionCallPermission>(&permission);
    if (const auto* gas_key = std::get_if<GasKeyFunctionCall>(&permission)) call = &gas_key->function_call;
    if (!call) return cost(kAddFullAccessKey, column);
    std::size_t bytes = 0;
    for (const std::string& name : call->method_names) bytes += name.size() + 1;  // as if zero-terminated
    return cost(kAddFunctionCallKey, column) + cost(kAddFunctionCallKeyByte, column, bytes);
}

// Creating an account is paid for whether or not the implicit account is there already. Only an account that
// is named after its key gets one.
Gas transfer_cost(std::string_view receiver_id, Column column) {
    const Gas transfer = cost(kTransfer, column);
    switch (chain::account_kind(receiver_id)) {
        case chain::AccountKind::named: return transfer;
        case chain::AccountKind::near_implicit:
            return transfer + cost(kCreateAccount, column) + cost(kAddFullAccessKey, column);
        default: return transfer + cost(kCreateAccount, column);
    }
}

Gas state_init_cost(const StateInit& init, Column column) {
    std::size_t bytes = bytes_of(init.code);
    for (const auto& [key, value] : init.data) bytes += key.size() + value.size();
    return cost(kStateInit, column) + cost(kStateInitEntry, column, init.data.size()) +
           cost(kStateInitByte, column, bytes);
}

struct ActionCost {
    Column column;
    std::string_view receiver_id;

    Gas of(const Action& action) const { return std::visit(*this, action.value); }

    Gas operator()(const CreateAccount&) const { return cost(kCreateAccount, column); }
    Gas operator()(const DeployContract& a) const {
        return cost(kDeploy, column) + cost(kDeployByte, column, a.code.size());
    }
    Gas operator()(const FunctionCall& a) const {
        return cost(kFunctionCall, column) +
               cost(kFunctionCallByte, column, a.method_name.size() + a.args.size());
    }
    Gas operator()(const Transfer&) const { return transfer_cost(receiver_id, column); }
    Gas operator()(const Stake&) const { return cost(kStake, column); }
    Gas operator()(const AddKey& a) const { return add_key_cost(a.access_key.permission, column); }
    Gas operator()(const DeleteKey&) const { return cost(kDeleteKey, column); }
    Gas operator()(const DeleteAccount&) const { return cost(kDeleteAccount, column); }
    template <class NonceType>
    Gas operator()(const BasicSignedDelegate<NonceType>& a) const {
        Gas sum = cost(kDelegate, column);
        if (column == Column::exec) return sum;
        const ActionCost inner{column, a.delegate_action.receiver_id};
        for (const Action& action : a.delegate_action.actions) sum += inner.of(action);
        return sum;
    }
    Gas operator()(const DeployGlobalContract& a) const {
        return cost(kDeployGlobal, column) + cost(kDeployGlobalByte, column, a.code.size());
    }
    Gas operator()(const UseGlobalContract& a) const {
        return cost(kUseGlobal, column) + cost(kUseGlobalByte, column, bytes_of(a.contract));
    }
    Gas operator()(const DeterministicStateInit& a) const { return state_init_cost(a.state_init, column); }
    Gas operator()(const TransferToGasKey&) const { return cost(kGasKeyTransfer, column); }
    Gas operator()(const WithdrawFromGasKey&) const { return cost(kGasKeyTransfer, column); }
    Gas operator()(const UnknownActions&) const { return 0; }  // refused before
};

template <class Sum, class OfDelegate, class OfOther>
std::optional<Sum> sum_over(std::span<const Action> actions, OfDelegate of_delegate, OfOther of_other) {
    std::optional<Sum> sum = Sum{0};
    for (const Action& action : actions) {
        std::optional<Sum> part;
        if (const auto* v1 = std::get_if<SignedDelegate>(&action.value))
            part = of_delegate(v1->delegate_action);
        else if (const auto* v2 = std::get_if<SignedDelegateV2>(&action.value))
            part = of_delegate(v2->delegate_action);
        else
            part = of_other(action);
        sum = checked_add(sum, part);
    }
    return sum;
}

u128 deposit_of(const Action& action) {
    if (const auto* call = std::get_if<FunctionCall>(&action.value)) return call->deposit;
    if (const auto* transfer = std::get_if<Transfer>(&action.value)) return transfer->deposit;
    if (const auto* init = std::get_if<DeterministicStateInit>(&action.value)) return init->deposit;
    if (const auto* gas_key = std::get_if<TransferToGasKey>(&action.value)) return gas_key->deposit;
    return 0;
}

// Exec fees of a receipt with these actions and of those that its delegates make.
Gas exec_fees(std::span<const Action> actions, std::string_view receiver_id) {
    Gas sum = receipt_exec_fee();
    for (const Action& action : actions) {
        sum += action_exec_fee(action, receiver_id);
        if (const auto* v1 = std::get_if<SignedDelegate>(&action.value))
            sum += exec_fees(v1->delegate_action.actions, v1->delegate_action.receiver_id);
        else if (const auto* v2 = std::get_if<SignedDelegateV2>(&action.value))
            sum += exec_fees(v2->delegate_action.actions, v2->delegate_action.receiver_id);
    }
    return sum;
}

}  // namespace

Gas receipt_send_fee(bool to_self) {
    return cost(kReceipt, to_self ? Column::send_to_self : Column::send_to_other);
}

Gas receipt_exec_fee() { return kReceipt.exec; }

Gas action_send_fee(const Action& action, bool to_self, std::string_view receiver_id) {
    return ActionCost{to_self ? Column::send_to_self : Column::send_to_other, receiver_id}.of(action);
}

Gas action_exec_fee(const Action& action, std::string_view receiver_id) {
    return ActionCost{Column::exec, receiver_id}.of(action);
}

Gas data_receipt_base_fee(bool to_self) {
    return cost(kDataReceipt, to_self ? Column::send_to_self : Column::send_to_other) + kDataReceipt.exec;
}

Gas data_receipt_byte_fee(bool to_self) {
    return cost(kDataReceiptByte, to_self ? Column::send_to_self : Column::send_to_other) +
           kDataReceiptByte.exec;
}

std::optional<Gas> prepaid_gas(std::span<const Action> actions) {
    return sum_over<Gas>(
        actions, [](const auto& delegate) { return prepaid_gas(delegate.actions); },
        [](const Action& action) -> std::optional<Gas> {
            const auto* call = std::get_if<FunctionCall>(&action.value);
            return call ? call->gas : 0;
        });
}

std::optional<Gas> prepaid_send_fees(std::span<const Action> actions) {
    return sum_over<Gas>(
        actions,
        [](const auto& delegate) -> std::optional<Gas> {
            const bool to_self = delegate.sender_id == delegate.receiver_id;
            Gas sum = receipt_send_fee(to_self);
            for (const Action& action : delegate.actions)
                sum += action_send_fee(action, to_self, delegate.receiver_id);
            return sum;
        },
        [](const Action&) -> std::optional<Gas> { return 0; });
}

std::optional<Gas> purchased_gas(std::span<const Action> actions, std::string_view receiver_id) {
    const auto attached = checked_add(prepaid_gas(actions), prepaid_send_fees(actions));
    return checked_add(attached, std::optional<Gas>(exec_fees(actions, receiver_id)));
}

std::optional<u128> total_deposit(std::span<const Action> actions) {
    return sum_over<u128>(
        actions, [](const auto& delegate) { return total_deposit(delegate.actions); },
        [](const Action& action) -> std::optional<u128> { return deposit_of(action); });
}

std::optional<TransactionCost> transaction_cost(const Transaction& transaction, u128 gas_price) {
    const bool to_self = transaction.signer_id == transaction.receiver_id;
    TransactionCost result;
    result.burnt = receipt_send_fee(to_self);
    for (const Action& action : transaction.actions)
        result.burnt += action_send_fee(action, to_self, transaction.receiver_id);
    const auto remaining = purchased_gas(transaction.actions, transaction.receiver_id);
    const auto deposits = total_deposit(transaction.actions);
    if (!remaining || !deposits) return std::nullopt;
    result.remaining = *remaining;
    result.deposits = *deposits;
    const auto burnt_price = checked_multiply<u128>(result.burnt, gas_price);
    const auto remaining_price = checked_multiply<u128>(result.remaining, gas_price);
    const auto total = checked_add(checked_add(burnt_price, remaining_price), deposits);
    if (!total) return std::nullopt;
    result.total = *total;
    return result;
}

}  // namespace receiptd::chain::wire
