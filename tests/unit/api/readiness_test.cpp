#include "api/status.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace receiptd::api {
namespace {

std::string detail_of(const DaemonStatus& status, const std::string& reason) {
    for (const auto& found : unreadiness(status))
        if (found.reason == reason) return found.detail;
    return "ready";
}

TEST(Readiness, a_shard_that_no_upstream_tracks_is_named) {
    DaemonStatus status;
    EXPECT_EQ(detail_of(status, "shards"), "ready");
    status.untracked_shards = {3};
    EXPECT_EQ(detail_of(status, "shards"),
              "no upstream tracks shard 3: their chunks and outcomes cannot be had");
    status.untracked_shards = {0, 3};
    EXPECT_EQ(detail_of(status, "shards"),
              "no upstream tracks shards 0, 3: their chunks and outcomes cannot be had");
}

TEST(Readiness, trees_that_stay_pending_are_told_with_the_oldest_and_its_reason) {
    DaemonStatus status;
    status.pending_trees = 7;
    EXPECT_EQ(detail_of(status, "trees"), "ready");
    status.overdue_trees = {2, "F8XzLX87", "", 654.3};
    EXPECT_EQ(detail_of(status, "trees"),
              "2 trees should be complete by now; the oldest is of transaction F8XzLX87, included 654 s ago: "
              "answers are incomplete");
    status.overdue_trees.oldest_reason = "http_503: busy";
    EXPECT_TRUE(detail_of(status, "trees").ends_with("654 s ago: http_503: busy"));
}

TEST(Readiness, pending_trees_of_which_none_completes_are_told) {
    DaemonStatus status;
    status.pending_trees = 105;
    status.tree_completed_seconds_ago = 601;
    EXPECT_EQ(detail_of(status, "trees"), "no tree was completed for 601 s, and 105 are pending");
    status.pending_trees = 0;
    EXPECT_EQ(detail_of(status, "trees"), "ready");
}

}  // namespace
}  // namespace receiptd::api
