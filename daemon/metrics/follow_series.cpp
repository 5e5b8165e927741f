#include "metrics/follow_series.hpp"

#include "metrics/registry.hpp"

namespace receiptd::metrics {
namespace {

prometheus::Gauge& gauge(Registry& registry, const char* name, const char* help) {
    return registry.gauge(name, help).Add({});
}

prometheus::Gauge& gauge_of_leader(Registry& registry, const char* name, const char* help) {
    return registry.gauge_of_leader(name, help).Add({});
}

prometheus::Counter& counter(Registry& registry, const char* name, const char* help) {
    return registry.counter(name, help).Add({});
}

prometheus::Counter& orphans(Registry& registry, const char* resolved_by) {
    return registry
        .counter("receiptd_orphan_receipts_total",
                 "Listed receipts that touch a followed account, by what brought their tree (source rpc).",
                 {"resolved_by"})
        .Add({{"resolved_by", resolved_by}});
}

prometheus::Counter& left_out(Registry& registry, const char* what) {
    return registry
        .counter("receiptd_left_out_total",
                 "What the whole-block service did not tell and the JSON-RPC hosts had.", {"what"})
        .Add({{"what", what}});
}

prometheus::Counter& forgotten(Registry& registry, const char* what) {
    return registry
        .counter(
            "receiptd_forgotten_total",
            "Unfinished trees, and receipts and data on their way, that were too many to be kept in memory; "
            "their trees are judged from the tables.",
            {"what"})
        .Add({{"what", what}});
}

prometheus::Histogram& stage(Registry& registry, const char* stage_name) {
    return registry
        .histogram("receiptd_follow_stage_seconds", "Time of one height (commit: one batch) in a stage.",
                   {"stage"})
        .Add({{"stage", stage_name}}, seconds_buckets());
}

}  // namespace

FollowSeries::FollowSeries(Registry& r)
    : head_height(gauge(r, "receiptd_head_height", "Height of the newest final block known.")),
      head_time(gauge(r, "receiptd_head_timestamp_seconds", "Time of the newest final block known.")),
      committed_height(
          gauge_of_leader(r, "receiptd_committed_height", "Height of the highest block committed.")),
      agreed_height(gauge_of_leader(r, "receiptd_agreed_height",
                                    "Height up to which the hosts agree on what is committed.")),
      committed_time(
          gauge_of_leader(r, "receiptd_committed_timestamp_seconds", "Time of the highest block committed.")),
      unconfirmed(gauge_of_leader(r, "receiptd_unconfirmed",
                                  "1 while no second host confirms the newest committed blocks.")),
      clock_ahead(
          gauge_of_leader(r, "receiptd_clock_ahead_seconds",
                          "Wall clock minus the time of the highest block committed, while at the head.")),
      gap_blocks(gauge_of_leader(r, "receiptd_gap_blocks", "Heights that should be stored and are not.")),
      unavailable_blocks(
          gauge_of_leader(r, "receiptd_unavailable_blocks",
                          "Heights no host could give within follow.patience; retried for ever.")),
      pending_trees(
          gauge_of_leader(r, "receiptd_pending_trees", "Transactions whose tree is not complete yet.")),
      overdue_trees(gauge_of_leader(
          r, "receiptd_overdue_trees",
          "Trees pending for over 10 minutes, except trees of backfills; at most 10000 are counted.")),
      leader(gauge(r, "receiptd_leader",
                   "1 while this daemon leads: of those on its database one follows the head.")),
      broken_chain(
          gauge_of_leader(r, "receiptd_broken_chain",
                          "1 while a range is stopped because a block does not fit the stored chain.")),
      head_polls(counter(r, "receiptd_head_polls_total", "Requests made to learn of the head.")),
      new_heads(counter(r, "receiptd_new_heads_total", "Heights by which the head advanced.")),
      skipped_heights(counter(r, "receiptd_skipped_heights_total", "Heights proven to have no block.")),
      false_outcome_blocks(counter(r, "receiptd_false_outcome_blocks_total",
                                   "Stored blocks with outcomes that are not those of the chain.")),
      left_out_blocks(left_out(r, "block")),
      left_out_outcomes(left_out(r, "outcome")),
      trees_completed(counter(r, "receiptd_trees_completed_total", "Transaction trees stored complete.")),
      orphans_in_history(orphans(r, "history")),
      orphans_told(orphans(r, "receipt_to_tx")),
      orphans_left(orphans(r, "none")),
      unplaced_receipts(
          gauge_of_leader(r, "receiptd_unplaced_receipts",
                          "Receipts that touch a followed account and whose tree is not stored yet.")),
      forgotten_in_flight(forgotten(r, "in_flight")),
      forgotten_trees(forgotten(r, "trees")),
      fetch_seconds(stage(r, "fetch")),
      rows_seconds(stage(r, "rows")),
      commit_seconds(stage(r, "commit")),
      lag_seconds(r.histogram("receiptd_follow_lag_seconds",
                              "From the head seen at or above a block to its rows committed; each block but "
                              "those of backfills.")
                      .Add({}, seconds_buckets())) {}

}  // namespace receiptd::metrics
