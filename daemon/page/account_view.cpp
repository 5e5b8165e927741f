// GET /account/{name}
#include "base/coroutine.hpp"
#include "chain/wire/account_id.hpp"
#include "page/account.hpp"
#include "page/filters.hpp"

#include <utility>

namespace receiptd::page {

namespace {

constexpr unsigned kRowsOfEach = 25;

storage::TransactionFilter transactions_of(const std::string& account_id, storage::AccountRole role,
                                           std::string cursor) {
    storage::TransactionFilter filter;
    filter.account_id = account_id;
    filter.role = role;
    filter.cursor = std::move(cursor);
    filter.limit = kRowsOfEach;
    return filter;
}

storage::FindingFilter failures_of(const std::string& account_id) {
    storage::FindingFilter filter;
    filter.user_id = account_id;
    filter.limit = kRowsOfEach;
    return filter;
}

storage::WatchFilter open_watches_of(const std::string& account_id) {
    storage::WatchFilter filter;
    filter.sender_id = account_id;
    filter.open_only = true;
    filter.limit = kRowsOfEach;
    return filter;
}

// The list of one role, from a cursor on; without a role everything.
base::Task<AccountView> read_account(SharedSite site, std::string account_id,
                                     std::optional<storage::AccountRole> role, std::string cursor) {
    auto& services = site->api->services;
    auto& calls = site->api->calls;
    AccountView view;
    view.account_id = account_id;
    view.now = site->wall();
    auto telling =
        calls.start(services.history.known_heights(account_id, storage::ListedTable::transactions));
    auto first = calls.start(services.history.list_transactions(
        transactions_of(account_id, role.value_or(storage::AccountRole::user), std::move(cursor))));
    view.known = co_await calls.wait_for(std::move(telling));
    auto page = co_await calls.wait_for(std::move(first));
    view.lists.push_back({role.value_or(storage::AccountRole::user), std::move(page)});
    if (role) co_return view;
    auto second = calls.start(
        services.history.list_transactions(transactions_of(account_id, storage::AccountRole::receiver, {})));
    auto failing = calls.start(services.findings.list_findings(failures_of(account_id)));
    auto watching = calls.start(services.watches.list_watches(open_watches_of(account_id)));
    auto received = co_await calls.wait_for(std::move(second));
    view.lists.push_back({storage::AccountRole::receiver, std::move(received)});
    view.findings = co_await calls.wait_for(std::move(failing));
    view.open_watches = co_await calls.wait_for(std::move(watching));
    co_return view;
}

base::Task<net::ServerReply> account_page(SharedSite site, api::Call call) {
    const auto account_id = call.captured[0];
    if (!chain::is_valid_account_id(account_id))
        co_return co_await notice(
            std::move(site), 404, "There is no such account",
            "A NEAR account has 2 to 64 small letters, digits, and . - _ between them.");
    Filters given(call);
    const auto role =
        given.one_of("role", "it must be user, signer or receiver", storage::parse_account_role);
    auto cursor = given.cursor([](const std::string& text) {
        return storage::is_transaction_cursor(text) && api::is_time(text.substr(0, text.find(',')));
    });
    auto frame = site->frame(account_id, "");
    if (!given.fault().empty()) {
        Json values;
        values["account"] = account_id;
        co_return co_await unlisted(site, std::move(frame), "account", std::move(values), given.fault());
    }
    auto reading = read_account(site, account_id, role, std::move(cursor));
    const auto view = co_await std::move(reading);
    auto values = account_values(view);
    co_return co_await reply_with(site, 200, std::move(frame), "account", std::move(values));
}

}  // namespace

std::vector<api::Route> account_routes(const SharedSite& site) {
    return {view(site, "/account/{name}", account_page)};
}

}  // namespace receiptd::page
