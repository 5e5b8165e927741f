// What commits hold, as metrics.
#pragma once

#include "chain/rows/rows.hpp"
#include "metrics/watch_series.hpp"

namespace receiptd::storage {

void count(metrics::WatchSeries& series, const chain::DecidedCounts& decided);

}  // namespace receiptd::storage
