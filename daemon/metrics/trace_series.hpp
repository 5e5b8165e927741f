// Metrics of the export of traces.
#pragma once

#include "metrics/metric_types.hpp"

namespace receiptd::metrics {

struct TraceSeries {
    explicit TraceSeries(Registry& registry);

    prometheus::Counter& sent;         // trees, as the others
    prometheus::Counter& refused;      // by the collector
    prometheus::Counter& too_old;      // ended more than 30 minutes ago
    prometheus::Counter& crowded_out;  // more waited than may
    prometheus::Counter& missing;      // nothing of it is stored any more
    prometheus::Counter& spans;        // that the collector took
    prometheus::Counter& spans_rejected;
    prometheus::Counter& requests_taken;
    prometheus::Counter& requests_refused;
    prometheus::Counter& requests_failed;  // and repeated
    prometheus::Gauge& pending;
    prometheus::Gauge& oldest_pending_seconds;
};

}  // namespace receiptd::metrics
