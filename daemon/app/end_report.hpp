// The last lines of a run with an end: heights and trees that it could not get.
#pragma once

#include "app/commands.hpp"
#include "base/height_set.hpp"
#include "follow/follower.hpp"

namespace receiptd::app {

// The exit code.
int report(const follow::Follower::End& end);
// The same of stored heights that were fetched again: what accounts still lack, or which rows are those of
// before.
int report_refetched(const follow::Follower::End& end, const config::Settings& settings,
                     const BackfillCommand& command);
// The same of a backfill, with how much is stored, and which accounts lack stored heights of the range.
int report_backfilled(const follow::Follower::End& end, const config::Settings& settings,
                      base::HeightRange range);

}  // namespace receiptd::app
