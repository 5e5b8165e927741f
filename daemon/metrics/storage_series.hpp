// Metrics of the database.
#pragma once

#include "metrics/metric_types.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace receiptd::metrics {

// Tables of this database, as the leader measures them.
struct TableSeries {
    explicit TableSeries(Registry& registry);

    prometheus::Gauge& unclosed_partitions;

    void set_partitions(const std::string& table, std::uint64_t count);
    // Seconds since 1970: where the oldest partition begins and the newest ends.
    void set_partition_times(double from, double until);
    void set_retention_overdue(const std::string& table, double seconds);
    // `table` is of a closed set.
    void set_bytes(const std::string& table, double bytes, double index_bytes);

private:
    prometheus::Family<prometheus::Gauge>& partitions_;
    prometheus::Family<prometheus::Gauge>& from_;
    prometheus::Family<prometheus::Gauge>& until_;
    prometheus::Family<prometheus::Gauge>& retention_overdue_;
    prometheus::Family<prometheus::Gauge>& bytes_;
};

struct StorageSeries {
    explicit StorageSeries(Registry& registry);

    // By chain::Table, in its order.
    struct PerTable {
        prometheus::Counter* rows;
        prometheus::Counter* bytes;
    };
    std::array<PerTable, 11> tables;

    prometheus::Histogram& commit_seconds;
    prometheus::Histogram& batch_blocks;
    prometheus::Histogram& batch_bytes;
    prometheus::Counter& already_covered;  // batches that another daemon had written
    prometheus::Gauge& connected;          // open connections
    prometheus::Gauge& takes_no_work;
    prometheus::Counter& reconnects;
    prometheus::Counter& adopted;  // orphan receipts that found their parent
    prometheus::Counter& settled;  // trees judged when both sides of a seam were stored
    prometheus::Gauge& held_up;
    prometheus::Gauge& stream_held_up;
    TableSeries measured;

    // `what` is of a closed set.
    void set_aside(const std::string& what, double count);
    // `kind` is of a closed set; endpoint "": nobody takes the rule.
    void count_matched(const std::string& kind, const std::string& endpoint, double alerts);

private:
    prometheus::Family<prometheus::Counter>& matched_;
    prometheus::Family<prometheus::Gauge>& set_aside_;
};

}  // namespace receiptd::metrics
