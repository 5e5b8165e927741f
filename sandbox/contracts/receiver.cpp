#include "sandbox/contracts/receiver.hpp"

#include "chain/wire/account_id.hpp"
#include "sandbox/contracts/json_args.hpp"

namespace receiptd::sandbox {

using namespace contracts;

namespace {

constexpr Gas kBaseGas = sim::kTera;

// Splits at the first colon; without one the second part is empty.
std::pair<std::string_view, std::string_view> split(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) return {text, {}};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

void call_on(Host& host, std::string_view rest) {
    const auto [account_id, call] = split(rest);
    const auto [method_name, args] = split(call);
    if (!chain::is_valid_account_id(account_id) || method_name.empty()) {
        host.panic("msg must be call:ACCOUNT:METHOD or call:ACCOUNT:METHOD:ARGS, not call:" +
                   std::string(rest));
    }
    const auto promise = host.promise_batch_create(std::string(account_id));
    const Bytes bytes = to_bytes(args.empty() ? "{}" : args);
    host.promise_add_action(promise, {sim::wire::FunctionCall{std::string(method_name), bytes, 0, 0}}, 1);
    host.promise_return(promise);
}

void ft_on_transfer(Host& host) {
    host.use_gas(kBaseGas);
    const Args args(host);
    args.account("sender_id");
    const u128 amount = args.amount("amount");
    const std::string msg = args.text("msg");
    const auto [verb, rest] = split(msg);
    if (msg == "return") return return_json(host, amount_text(amount));
    if (verb == "return") {
        const auto unused = base::parse_u128(rest);
        if (!unused) host.panic("msg must be return:AMOUNT with a decimal number, not " + msg);
        return return_json(host, amount_text(*unused));
    }
    if (verb == "panic") host.panic(rest.empty() ? "the receiver was told to fail" : std::string(rest));
    if (msg == "burn_gas") host.use_gas(host.prepaid_gas());  // more than is left
    if (msg == "garbage") return host.return_value(to_bytes("no number"));
    if (verb == "call") return call_on(host, rest);
    return_json(host, "0");
}

}  // namespace

bool ReceiverContract::call(std::string_view method_name, sim::Host& host) const {
    if (method_name != "ft_on_transfer") return false;
    ft_on_transfer(host);
    return true;
}

}  // namespace receiptd::sandbox
