// Metrics of the watchdog. Its own thread counts them.
#pragma once

#include "metrics/metric_types.hpp"

namespace receiptd::metrics {

struct WatchdogSeries {
    explicit WatchdogSeries(Registry& registry);

    prometheus::Family<prometheus::Gauge>& stalled;  // part
    prometheus::Counter& messages_delivered;
    prometheus::Counter& messages_failed;  // an attempt
    prometheus::Counter& pings_answered;   // with 2xx
    prometheus::Counter& pings_failed;
};

}  // namespace receiptd::metrics
