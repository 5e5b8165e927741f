// Metrics of the API.
#pragma once

#include "metrics/metric_types.hpp"

#include <string_view>

namespace receiptd::metrics {

struct ApiSeries {
    explicit ApiSeries(Registry& registry);

    // `route` is the pattern, not the path.
    void count(std::string_view route, int status);

    prometheus::Family<prometheus::Counter>& requests;  // route, status
    prometheus::Gauge& stream_readers;
    prometheus::Counter& stream_cut_off;  // readers that were too slow
};

}  // namespace receiptd::metrics
