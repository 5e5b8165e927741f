// `receiptd forget`: an account is followed no more, and its trees may go.
#include "app/commands.hpp"
#include "app/print_json.hpp"
#include "app/progress.hpp"
#include "app/runtime.hpp"
#include "app/store_for_command.hpp"
#include "app/wait_for.hpp"
#include "storage/forget_rows.hpp"
#include "storage/pg_account_store.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>

namespace receiptd::app {
namespace {

constexpr base::Height kLookedAtOnce = 1'000;

storage::ForgottenRows forget_rows(storage::PgForgetRows& rows, const std::string& account,
                                   base::HeightRange heights, bool only_count) {
    const base::SystemClock clock;
    Progress progress(heights.size(), clock);
    storage::ForgottenRows done;
    base::Height looked_at = 0;
    for (auto from = heights.from; from <= heights.to; from += kLookedAtOnce) {
        const base::HeightRange some{from, std::min(heights.to, from + kLookedAtOnce - 1)};
        done.add(wait_for(rows.forget(account, some, only_count)));
        progress.show(looked_at += some.size(), 0);
    }
    return done;
}

int print(const storage::ForgottenRows& done, const ForgetCommand& command) {
    if (command.as_json) {
        print_json(nlohmann::ordered_json{{"trees", done.trees},
                                          {"receipts", done.receipts},
                                          {"kept_trees", done.kept},
                                          {"running_trees", done.running}});
        return kOk;
    }
    std::cout << done.trees << " trees with " << done.receipts << " receipts "
              << (command.plan ? "would be deleted" : "are deleted") << "; " << done.kept
              << " stay, as another account or a watch touches them\n"
              << "alerts about them stay until retention takes them\n";
    if (done.running == 0) return kOk;
    std::cout << done.running << " are not over yet and stay: run it again later\n";
    return command.plan ? kOk : kIncomplete;
}

int forget_rows_of(const config::Settings& settings, const ForgetCommand& command) {
    StoreForCommand<storage::PgForgetRows> database(settings);
    const auto heights = wait_for(database.store().heights());
    if (heights)
        return print(forget_rows(database.store(), command.account, *heights, command.plan), command);
    std::cerr
        << "no rows are deleted: nothing is stored, or the scope is not accounts, and its rows belong to "
           "more than accounts\n";
    return kFailed;
}

}  // namespace

int forget_account(const config::Settings& settings, const ForgetCommand& command) {
    if (command.plan) return forget_rows_of(settings, command);
    {
        StoreForCommand<storage::PgAccountStore> database(settings);
        const bool was_followed = wait_for(database.store().forget(command.account));
        if (!was_followed) std::cerr << "the database does not follow " << command.account << '\n';
        if (!was_followed && !command.rows) return kFailed;
        if (was_followed)
            std::cout << command.account << " is followed no more"
                      << (command.rows ? "\n" : "; its rows stay until retention takes them\n");
    }
    const auto& configured = settings.follow.accounts;
    if (std::find(configured.begin(), configured.end(), command.account) != configured.end())
        std::cout << "follow.accounts still names it: a daemon that starts or reloads follows it again\n";
    return command.rows ? forget_rows_of(settings, command) : kOk;
}

}  // namespace receiptd::app
