#include "sandbox/contracts/wallet.hpp"

#include "chain/wire/account_id.hpp"
#include "chain/wire/base64.hpp"
#include "sandbox/contracts/eth_transaction.hpp"
#include "sandbox/contracts/json_args.hpp"
#include "sandbox/contracts/method_table.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace receiptd::sandbox {

using namespace contracts;

namespace {

// About as recorded.
constexpr Gas kExecuteGas = 1'600 * (sim::kTera / 1000);
constexpr Gas kAnswerGas = 1'100 * (sim::kTera / 1000);
constexpr u128 kYoctoPerWei = 1'000'000;
constexpr const char* kNonceKey = "nonce";
constexpr const char* kBusyKey = "in flight";

std::uint64_t nonce_of(const Host& host) { return std::stoull(host.storage_read(kNonceKey).value_or("0")); }

void answer(Host& host, OrderedJson value, OrderedJson error) {
    return_json(
        host,
        {{"success", error.is_null()}, {"success_value", std::move(value)}, {"error", std::move(error)}});
}

void pay(Host& host, const std::string& account_id, u128 amount) {
    const auto promise = host.promise_batch_create(account_id);
    host.promise_add_action(promise, {sim::wire::Transfer{amount}});
}

// The deposit that the caller attached goes back to it.
void refuse(Host& host, const char* error) {
    if (host.attached_deposit() > 0) pay(host, host.predecessor_id(), host.attached_deposit());
    answer(host, nullptr, error);
}

// The relayer's mistakes, which leave the owner's nonce unused; nullptr: there is none.
const char* relayers_fault(const Host& host, const std::string& target,
                           const std::optional<EthTransaction>& transaction) {
    if (!transaction) return "Error parsing RLP-encoded transaction";
    if (eth_account_id(transaction->signer) != host.current_account_id())
        return "Error: signature does not match the wallet's address";
    if (transaction->chain_id != kEthChainId) return "Error: invalid chain id";
    if (transaction->nonce != nonce_of(host)) return "Error: invalid nonce value";
    if (!chain::is_valid_account_id(target) || transaction->to != eth_address_of(target))
        return "Error: target does not match to in signed transaction";
    return nullptr;
}

struct Wanted {
    std::string receiver_id;
    std::optional<sim::wire::Action> action;
    const char* error = nullptr;
};

Wanted wanted_by(const EthTransaction& transaction) {
    if (!transaction.value || *transaction.value > (~u128{0} >> 32) / kYoctoPerWei)
        return {{}, {}, "Error: value above the largest balance"};
    const u128 value = *transaction.value * kYoctoPerWei;
    EthCall call = read_eth_call(transaction.data);
    if (auto* method = std::get_if<EthFunctionCall>(&call))
        return {method->receiver_id, sim::wire::Action{sim::wire::FunctionCall{
                                         std::move(method->method_name), std::move(method->args), method->gas,
                                         value + method->yocto_near}}};
    if (const auto* transfer = std::get_if<EthTransfer>(&call))
        return {transfer->receiver_id, sim::wire::Action{sim::wire::Transfer{value + transfer->yocto_near}}};
    if (std::holds_alternative<UnknownSelector>(call)) return {{}, {}, "Error: unknown function selector"};
    return {{}, {}, "Error: malformed arguments"};
}

void send(Host& host, Wanted wanted) {
    host.storage_write(kBusyKey, "");
    const auto promise = host.promise_batch_create(std::move(wanted.receiver_id));
    host.promise_add_action(promise, std::move(*wanted.action));
    OrderedJson deposit;
    if (host.attached_deposit() > 0)
        deposit = {{"account_id", host.predecessor_id()},
                   {"yocto_near", amount_text(host.attached_deposit())}};
    const auto callback = host.promise_batch_then(promise, host.current_account_id());
    const OrderedJson args{{"caller_deposit", deposit}};
    host.promise_add_action(
        callback, {sim::wire::FunctionCall{"rlp_execute_callback", json_bytes(args), kAnswerGas * 2, 0}}, 1);
    host.promise_return(callback);
}

void rlp_execute(Host& host) {
    host.use_gas(kExecuteGas);
    const Args args(host);
    const std::string target = args.text("target");
    const auto bytes = chain::base64_decode(args.text("tx_bytes_b64"));
    if (host.storage_read(kBusyKey))
        return refuse(host, "Error: transaction already in progress, please try again later.");
    if (!bytes) return refuse(host, "Error: invalid base64 encoding");
    const auto transaction = read_eth_transaction(*bytes);
    if (const char* fault = relayers_fault(host, target, transaction)) return refuse(host, fault);
    host.storage_write(kNonceKey, std::to_string(transaction->nonce + 1));
    Wanted wanted = wanted_by(*transaction);
    if (!wanted.error && wanted.receiver_id != target) wanted.error = "Error: target is not the receiver";
    if (wanted.error) return refuse(host, wanted.error);
    send(host, std::move(wanted));
}

void rlp_execute_callback(Host& host) {
    host.use_gas(kAnswerGas);
    assert_private(host, "rlp_execute_callback");
    const Args args(host);
    host.storage_remove(kBusyKey);
    if (host.promise_results_count() != 1) host.panic("Contract expected a result on the callback");
    const sim::PromiseResult& result = host.promise_result(0);
    if (result) return answer(host, OrderedJson(*result), nullptr);
    const Json* deposit = args.optional_value("caller_deposit");
    if (deposit)
        pay(host, deposit->at("account_id"),
            base::parse_u128(deposit->at("yocto_near").get<std::string>()).value());
    answer(host, nullptr, "Failed Near promise");
}

void get_nonce(Host& host) { return_json(host, std::to_string(nonce_of(host))); }

constexpr std::array<Method, 3> kWalletMethods{{
    {"rlp_execute", rlp_execute},
    {"rlp_execute_callback", rlp_execute_callback},
    {"get_nonce", get_nonce},
}};

}  // namespace

bool WalletContract::call(std::string_view method_name, sim::Host& host) const {
    return call_method(kWalletMethods, method_name, host);
}

}  // namespace receiptd::sandbox
