// The last lines of a run with an end: heights and trees that it could not get.
#pragma once

#include "base/height_set.hpp"
#include "follow/follower.hpp"
#include "storage/daemons.hpp"

#include <vector>

namespace receiptd::app {

// The exit code.
int report(const follow::Follower::End& end);
// Heights that are stored are not fetched again for accounts that came later. True: there are such.
bool report_later_accounts(const std::vector<storage::FollowedAccount>& accounts, base::HeightRange range,
                           const base::HeightSet& stored_before);

}  // namespace receiptd::app
