#include "sandbox/contracts/ft.hpp"

#include "sandbox/contracts/ft_book.hpp"
#include "sandbox/contracts/ft_storage.hpp"
#include "sandbox/contracts/method_table.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace receiptd::sandbox {

using namespace contracts;

namespace {

// Approximate gas that the compiled contract burns on a real node besides the fees of the call itself.
constexpr Gas kChangeGas = sim::kTera;
constexpr Gas kViewGas = sim::kTera / 2;

sim::PromiseIndex add_call(Host& host, sim::PromiseIndex promise, const char* method_name,
                           const OrderedJson& args, Gas gas, std::uint64_t weight) {
    host.promise_add_action(promise, {sim::wire::FunctionCall{method_name, json_bytes(args), gas, 0}},
                            weight);
    return promise;
}

void ft_transfer(Host& host) {
    host.use_gas(kChangeGas);
    const Args args(host);
    const std::string receiver_id = args.account("receiver_id");
    const u128 amount = args.amount("amount");
    const auto memo = args.optional_text("memo");
    assert_one_yocto(host);
    FtBook(host).transfer(host.predecessor_id(), receiver_id, amount, memo);
}

// Decided when the transfer is made: what a panicking callback writes is lost, so it could not count itself.
bool resolve_should_panic(FtBook& book, const std::string& sender_id,
                          const std::optional<std::string>& memo) {
    const u128 armed = book.armed_failures(sender_id);
    if (armed > 0) book.set_armed_failures(sender_id, armed - 1);
    return armed > 0 || (memo && (*memo == kMemoResolvePanics || *memo == kMemoResolvePanicsUnseen));
}

void ft_transfer_call(Host& host) {
    host.use_gas(kChangeGas);
    const Args args(host);
    const std::string receiver_id = args.account("receiver_id");
    const u128 amount = args.amount("amount");
    const auto memo = args.optional_text("memo");
    const std::string msg = args.text("msg");
    assert_one_yocto(host);
    if (host.prepaid_gas() <= kGasForFtTransferCall) host.panic("More gas is required");
    FtBook book(host);
    book.transfer(host.predecessor_id(), receiver_id, amount, memo);

    OrderedJson on_transfer{
        {"sender_id", host.predecessor_id()}, {"amount", amount_text(amount)}, {"msg", msg}};
    OrderedJson resolve{
        {"sender_id", host.predecessor_id()}, {"receiver_id", receiver_id}, {"amount", amount_text(amount)}};
    if (resolve_should_panic(book, host.predecessor_id(), memo)) resolve["sandbox_panic"] = true;
    const auto received =
        add_call(host, host.promise_batch_create(receiver_id), "ft_on_transfer", on_transfer, 0, 1);
    const auto resolved = add_call(host, host.promise_batch_then(received, host.current_account_id()),
                                   "ft_resolve_transfer", resolve, kGasForResolveTransfer, 0);
    if (memo == kMemoResolvePanicsUnseen) {
        return_json(host, amount_text(amount));
    } else {
        host.promise_return(resolved);
    }
}

// The part of `amount` that the receiver did not use, according to the result of ft_on_transfer.
u128 unused_amount(const sim::PromiseResult& result, u128 amount) {
    if (!result) return amount;
    const auto value = parse_json(chain::text_of(*result));
    if (!value || !value->is_string()) return amount;
    const auto unused = base::parse_u128(value->get_ref<const std::string&>());
    return unused ? std::min(*unused, amount) : amount;
}

void ft_resolve_transfer(Host& host) {
    host.use_gas(kChangeGas);
    assert_private(host, "ft_resolve_transfer");
    assert_no_deposit(host, "ft_resolve_transfer");
    const Args args(host);
    const std::string sender_id = args.account("sender_id");
    const std::string receiver_id = args.account("receiver_id");
    const u128 amount = args.amount("amount");
    if (host.promise_results_count() != 1) host.panic("Contract expected a result on the callback");
    if (args.optional_bool("sandbox_panic").value_or(false)) host.panic(std::string(kResolvePanic));

    FtBook book(host);
    const u128 held = book.balance(receiver_id).value_or(0);
    const u128 refund = std::min(held, unused_amount(host.promise_result(0), amount));
    if (refund == 0) return return_json(host, amount_text(amount));
    book.set_balance(receiver_id, held - refund);
    if (const auto sender_balance = book.balance(sender_id)) {
        book.set_balance(sender_id, *sender_balance + refund);
        book.log_transfer(receiver_id, sender_id, refund, "refund");
        return return_json(host, amount_text(amount - refund));
    }
    book.set_total_supply(book.total_supply() - refund);
    host.log("The account of the sender was deleted");
    book.log_burn(receiver_id, refund, "refund");
    return_json(host, amount_text(amount));
}

void ft_total_supply(Host& host) {
    host.use_gas(kViewGas);
    return_json(host, amount_text(FtBook(host).total_supply()));
}

void ft_balance_of(Host& host) {
    host.use_gas(kViewGas);
    return_json(host, amount_text(FtBook(host).balance(Args(host).account("account_id")).value_or(0)));
}

void ft_metadata(Host& host) {
    host.use_gas(kViewGas);
    OrderedJson metadata{{"spec", "ft-1.0.0"},     {"name", kFtName},      {"symbol", kFtSymbol},
                         {"icon", nullptr},        {"reference", nullptr}, {"reference_hash", nullptr},
                         {"decimals", kFtDecimals}};
    return_json(host, metadata);
}

void ft_mint(Host& host) {
    host.use_gas(kChangeGas);
    assert_no_deposit(host, "ft_mint");
    const Args args(host);
    const std::string account_id = args.account("account_id");
    const u128 amount = args.amount("amount");
    FtBook(host).mint(account_id, amount, args.optional_text("memo"));
}

void ft_arm_resolve_failure(Host& host) {
    host.use_gas(kChangeGas);
    assert_no_deposit(host, "ft_arm_resolve_failure");
    const Args args(host);
    const std::string account_id = args.account("account_id");
    FtBook(host).set_armed_failures(account_id, args.optional_amount("times").value_or(1));
}

constexpr std::array<Method, 13> kFtMethods{{
    {"ft_transfer", ft_transfer},
    {"ft_transfer_call", ft_transfer_call},
    {"ft_resolve_transfer", ft_resolve_transfer},
    {"ft_total_supply", ft_total_supply},
    {"ft_balance_of", ft_balance_of},
    {"ft_metadata", ft_metadata},
    {"ft_mint", ft_mint},
    {"ft_arm_resolve_failure", ft_arm_resolve_failure},
    {"storage_deposit", storage_deposit},
    {"storage_withdraw", storage_withdraw},
    {"storage_unregister", storage_unregister},
    {"storage_balance_of", storage_balance_of},
    {"storage_balance_bounds", storage_balance_bounds},
}};

}  // namespace

bool FtContract::call(std::string_view method_name, sim::Host& host) const {
    return call_method(kFtMethods, method_name, host);
}

sim::DataList ft_initial_records(const std::vector<TokenHolder>& holders) {
    sim::DataList records;
    u128 supply = 0;
    for (const TokenHolder& holder : holders) {
        if (holder.balance > ~u128{0} - supply) throw std::invalid_argument("token balances beyond 128 bits");
        supply += holder.balance;
        records.emplace_back(ft_balance_key(holder.account_id), ft_balance_record(holder.balance));
    }
    records.emplace_back(kFtSupplyKey, ft_balance_record(supply));
    return records;
}

}  // namespace receiptd::sandbox
