#include "app/followed_accounts.hpp"

#include "app/runtime.hpp"
#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "storage/errors.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

namespace receiptd::app {
namespace {

constexpr std::size_t kListedRanges = 20;

}  // namespace

bool lacks_rows(const storage::FollowedAccounts& followed) {
    return std::any_of(followed.accounts.begin(), followed.accounts.end(),
                       [](const auto& account) { return !account.not_whole.empty(); });
}

api::AccountView view(const storage::FollowedAccount& account, const base::HeightSet& covered) {
    const auto lacks = covered.within(account.not_whole);
    api::AccountView view{account.account_id, account.since_height, lacks.size(), {}};
    for (const auto& range : lacks.ranges()) {
        if (view.not_whole.size() == kListedRanges) break;
        view.not_whole.push_back({range.from, range.to});
    }
    return view;
}

nlohmann::ordered_json lacking_json(const storage::FollowedAccount& account) {
    nlohmann::ordered_json one;
    one["account_id"] = account.account_id;
    one["since_height"] = account.since_height;
    one["not_whole_heights"] = account.not_whole.size();
    auto& ranges = one["not_whole"] = nlohmann::ordered_json::array();
    for (const auto& range : account.not_whole.ranges())
        ranges.push_back({{"from", range.from}, {"to", range.to}});
    return one;
}

std::string in_words(const storage::FollowedAccount& account) {
    constexpr std::size_t kNamed = 5;
    auto text =
        account.account_id + ", followed since " +
        (account.since_height == 0 ? "the first height" : "height " + std::to_string(account.since_height));
    if (account.not_whole.empty()) return text;
    const auto ranges = account.not_whole.ranges();
    text += "; not whole over " + std::to_string(account.not_whole.size()) + " heights: ";
    for (std::size_t i = 0; i < std::min(ranges.size(), kNamed); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(ranges[i].from) + " to " + std::to_string(ranges[i].to);
    return text + (ranges.size() > kNamed ? ", …" : "");
}

void log_accounts(const storage::FollowedAccounts& before, const storage::FollowedAccounts& now,
                  const std::vector<std::string>& configured) {
    std::set<std::string> known;
    for (const auto& account : before.accounts) known.insert(account.account_id);
    std::string others;
    for (const auto& account : now.accounts) {
        const auto& name = account.account_id;
        if (name != "*" && std::find(configured.begin(), configured.end(), name) == configured.end())
            others += (others.empty() ? "" : ", ") + name;
        if (known.contains(name) || account.not_whole.empty()) continue;
        log::warn(
            "an account lacks heights that were stored without it: `receiptd backfill --accounts` fills them",
            {{"account", name},
             {"followed_since", account.since_height},
             {"not_whole", account.not_whole.to_multirange()}});
    }
    if (!others.empty())
        log::info("the database follows accounts that follow.accounts does not name", {{"accounts", others}});
}

base::Task<void> Runtime::read_accounts() {
    if (settings.follow.scope == config::ScopeName::headers) co_return;
    auto read = co_await database.followed_accounts();
    if (read.serial != followed_accounts.serial)
        log_accounts(followed_accounts, read, settings.follow.accounts);
    std::set<std::string, std::less<>> names;
    for (const auto& account : read.accounts) names.insert(account.account_id);
    follower.follow_accounts(std::move(names), read.serial);
    followed_accounts = std::move(read);
}

base::Task<void> Runtime::take_accounts() {
    if (settings.follow.scope != config::ScopeName::accounts) co_return;
    try {
        co_await database.follow_accounts(settings.follow.accounts);
        co_await read_accounts();
    } catch (const storage::StorageError& e) {
        log::error("the reloaded accounts are not followed yet: the database has not taken them",
                   {{"because", e.what()}});
    }
}

}  // namespace receiptd::app
