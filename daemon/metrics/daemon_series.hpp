// Metrics of the program itself.
#pragma once

#include "metrics/metric_types.hpp"

#include <string>

namespace receiptd::metrics {

struct DaemonSeries {
    DaemonSeries(Registry& registry, const std::string& version, const std::string& commit);

    prometheus::Gauge& reload_succeeded;
    prometheus::Gauge& clock_off;
    prometheus::Counter& maintenance_done;
    prometheus::Counter& maintenance_failed;
};

}  // namespace receiptd::metrics
