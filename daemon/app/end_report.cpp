#include "app/end_report.hpp"

#include "app/commands.hpp"
#include "app/followed_accounts.hpp"
#include "app/runtime.hpp"
#include "base/log.hpp"
#include "storage/inspect.hpp"

#include <algorithm>
#include <iostream>

namespace receiptd::app {
namespace {

// Prints which ones.
bool accounts_lack(const config::Settings& settings, base::HeightRange range) {
    bool found = false;
    for (const auto& account : storage::stored_summary(database_options(settings)).accounts) {
        const auto lacks = account.not_whole.within(range);
        if (lacks.empty()) continue;
        found = true;
        std::cout << account.account_id << " is not whole over " << lacks.size()
                  << (lacks.size() == 1 ? " height" : " heights")
                  << " of this range, which were stored without it: `receiptd backfill --accounts "
                  << account.account_id << "` fills them\n";
    }
    return found;
}

// The exit code for trees and heights that could not be had.
int report_not_had(const follow::Follower::End& end) {
    if (end.unfinished_trees > 0) log::warn("trees not complete", {{"transactions", end.unfinished_trees}});
    for (const auto& range : end.missing.ranges())
        std::cout << "no host gives heights " << range.from << " to " << range.to << " as they are stored\n";
    return end.unfinished_trees > 0 ? kIncomplete : kOk;
}

int report_replaced(const follow::Follower::End& end, const config::Settings& settings,
                    base::HeightRange range, int code) {
    const auto stored = storage::replaceable_heights(database_options(settings), range);
    auto replaced = stored;
    replaced.subtract(end.missing);
    std::cout << replaced.size() << " of " << stored.size() << " stored heights replaced\n";
    if (stored.size() < range.size())
        std::cout << range.size() - stored.size()
                  << " heights of the range are not stored, or retention has dropped a part of them\n";
    return end.missing.empty() ? code : kIncomplete;
}

int report_filled(const follow::Follower::End& end, const config::Settings& settings,
                  const BackfillCommand& command, int code) {
    const auto range = command.range.value_or(base::kAllHeights);
    for (const auto& account : storage::stored_summary(database_options(settings)).accounts) {
        const auto& chosen = command.accounts;
        if (std::find(chosen.begin(), chosen.end(), account.account_id) == chosen.end()) continue;
        const auto lacks = account.not_whole.within(range);
        if (!lacks.empty()) code = kIncomplete;
        std::cout << in_words(account) << (lacks.empty() ? "; whole over the range" : "") << '\n';
    }
    if (!end.fill_goes_on) return code;
    std::cout << "trees go on above the last stored height: a running daemon fills the rest, or this command "
                 "does when it is run again\n";
    return kIncomplete;
}

}  // namespace

int report(const follow::Follower::End& end) {
    if (end.missing.empty() && end.unfinished_trees == 0) return kOk;
    for (const auto& range : end.missing.ranges())
        log::warn("these heights are still missing", {{"from", range.from}, {"to", range.to}});
    if (end.unfinished_trees > 0) log::warn("trees not complete", {{"transactions", end.unfinished_trees}});
    return kIncomplete;
}

int report_backfilled(const follow::Follower::End& end, const config::Settings& settings,
                      base::HeightRange range) {
    const int code = report(end);
    std::cout << range.size() - end.missing.size() << " of " << range.size() << " heights stored\n";
    return accounts_lack(settings, range) ? kIncomplete : code;
}

int report_refetched(const follow::Follower::End& end, const config::Settings& settings,
                     const BackfillCommand& command) {
    const int code = report_not_had(end);
    return command.replaces ? report_replaced(end, settings, *command.range, code)
                            : report_filled(end, settings, command, code);
}

}  // namespace receiptd::app
