// Metrics of following the chain.
#pragma once

#include "metrics/metric_types.hpp"

namespace receiptd::metrics {

struct FollowSeries {
    explicit FollowSeries(Registry& registry);

    prometheus::Gauge& head_height;       // newest final block any host told
    prometheus::Gauge& head_time;         // its time, seconds since 1970
    prometheus::Gauge& committed_height;  // highest committed block
    prometheus::Gauge& agreed_height;     // the hosts agree on the committed blocks up to it
    prometheus::Gauge& committed_time;
    prometheus::Gauge& unconfirmed;         // 1 while no second host confirms the newest blocks
    prometheus::Gauge& clock_ahead;         // wall clock minus the newest block's time, at the head
    prometheus::Gauge& gap_blocks;          // heights wanted and not covered
    prometheus::Gauge& unavailable_blocks;  // of these, given up for now after follow.patience
    prometheus::Gauge& pending_trees;
    prometheus::Gauge& overdue_trees;
    prometheus::Gauge& leader;        // 1 while this daemon follows the head for all on its database
    prometheus::Gauge& broken_chain;  // 1 while a range is stopped by a prev_hash mismatch
    prometheus::Counter& head_polls;
    prometheus::Counter& new_heads;
    prometheus::Counter& skipped_heights;
    prometheus::Counter& false_outcome_blocks;
    // The source left these out, and other hosts had them.
    prometheus::Counter& left_out_blocks;
    prometheus::Counter& left_out_outcomes;
    prometheus::Counter& trees_completed;
    // Scope accounts, source rpc: listed receipts that touch an account, by what brought their tree.
    prometheus::Counter& orphans_in_history;  // fetched or stored anyway
    prometheus::Counter& orphans_told;        // a host told the transaction
    prometheus::Counter& orphans_left;        // nobody could
    prometheus::Gauge& unplaced_receipts;     // whose tree is not stored yet
    // Too many for memory: their trees are judged when they are stored.
    prometheus::Counter& forgotten_in_flight;  // announced receipts and data
    prometheus::Counter& forgotten_trees;
    prometheus::Histogram& fetch_seconds;
    prometheus::Histogram& rows_seconds;
    prometheus::Histogram& commit_seconds;
    prometheus::Histogram& lag_seconds;  // head seen there -> the block's rows committed
};

}  // namespace receiptd::metrics
