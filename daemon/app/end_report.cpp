#include "app/end_report.hpp"

#include "app/commands.hpp"
#include "base/log.hpp"

#include <algorithm>
#include <iostream>

namespace receiptd::app {

int report(const follow::Follower::End& end) {
    if (end.missing.empty() && end.unfinished_trees == 0) return kOk;
    for (const auto& range : end.missing.ranges())
        log::warn("these heights are still missing", {{"from", range.from}, {"to", range.to}});
    if (end.unfinished_trees > 0) log::warn("trees not complete", {{"transactions", end.unfinished_trees}});
    return kIncomplete;
}

bool report_later_accounts(const std::vector<storage::FollowedAccount>& accounts, base::HeightRange range,
                           const base::HeightSet& stored_before) {
    bool found = false;
    for (const auto& account : accounts) {
        if (account.since_height <= range.from) continue;
        const auto without = stored_before.within({range.from, std::min(range.to, account.since_height - 1)});
        if (without.empty()) continue;
        found = true;
        std::cout << account.account_id << " is followed since height " << account.since_height
                  << ": its earlier rows were not fetched, as " << without.size()
                  << (without.size() == 1 ? " height" : " heights")
                  << " of this range had been stored before\n";
    }
    return found;
}

}  // namespace receiptd::app
