#include "sandbox/contracts/ft_storage.hpp"

#include "sandbox/contracts/ft.hpp"
#include "sandbox/contracts/ft_book.hpp"

namespace receiptd::sandbox::contracts {

namespace {

constexpr Gas kStorageChangeGas = sim::kTera;
constexpr Gas kStorageViewGas = sim::kTera / 2;

OrderedJson storage_balance() { return {{"total", amount_text(kFtStorageDeposit)}, {"available", "0"}}; }

void send_back(Host& host, u128 amount) {
    if (amount == 0) return;
    const auto promise = host.promise_batch_create(host.predecessor_id());
    host.promise_add_action(promise, {sim::wire::Transfer{amount}});
}

}  // namespace

void storage_deposit(Host& host) {
    host.use_gas(kStorageChangeGas);
    const Args args(host);
    const std::string account_id = args.optional_account("account_id").value_or(host.predecessor_id());
    args.optional_bool("registration_only");  // a token has nothing else to deposit for
    const u128 amount = host.attached_deposit();
    FtBook book(host);
    if (book.balance(account_id)) {
        host.log("The account is already registered, refunding the deposit");
        send_back(host, amount);
    } else {
        if (amount < kFtStorageDeposit) {
            host.panic("The attached deposit is less than the minimum storage balance");
        }
        book.set_balance(account_id, 0);
        send_back(host, amount - kFtStorageDeposit);
    }
    return_json(host, storage_balance());
}

void storage_withdraw(Host& host) {
    host.use_gas(kStorageChangeGas);
    const u128 amount = Args(host).optional_amount("amount").value_or(0);
    assert_one_yocto(host);
    const std::string& account_id = host.predecessor_id();
    if (!FtBook(host).balance(account_id)) host.panic("The account " + account_id + " is not registered");
    if (amount > 0) host.panic("The amount is greater than the available storage balance");
    return_json(host, storage_balance());
}

void storage_unregister(Host& host) {
    host.use_gas(kStorageChangeGas);
    const bool force = Args(host).optional_bool("force").value_or(false);
    assert_one_yocto(host);
    const std::string& account_id = host.predecessor_id();
    FtBook book(host);
    const auto balance = book.balance(account_id);
    if (!balance) {
        host.log("The account " + account_id + " is not registered");
        return return_json(host, false);
    }
    if (*balance > 0 && !force) {
        host.panic("Can't unregister the account with the positive balance without force");
    }
    book.unregister(account_id);
    if (*balance > 0) {
        book.set_total_supply(book.total_supply() - *balance);
        book.log_burn(account_id, *balance, std::nullopt);
    }
    send_back(host, kFtStorageDeposit + host.attached_deposit());
    return_json(host, true);
}

void storage_balance_of(Host& host) {
    host.use_gas(kStorageViewGas);
    const bool registered = FtBook(host).balance(Args(host).account("account_id")).has_value();
    return_json(host, registered ? storage_balance() : OrderedJson(nullptr));
}

void storage_balance_bounds(Host& host) {
    host.use_gas(kStorageViewGas);
    const std::string price = amount_text(kFtStorageDeposit);
    return_json(host, {{"min", price}, {"max", price}});
}

}  // namespace receiptd::sandbox::contracts
