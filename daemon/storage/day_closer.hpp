// Puts the ids of days that are over into the look-up that knows their days (schema/13_closing_days.sql,
// docs/decisions/0059). What is not closed yet is slower to ask, and never wrong. Closed partitions are
// tidied.
#pragma once

#include "base/clock.hpp"
#include "metrics/storage_series.hpp"
#include "storage/pqxx_shim.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace receiptd::storage {

class DayCloser {
public:
    explicit DayCloser(metrics::StorageSeries& series) : series_(series) {}

    // Closes days that have not grown since the last call, merges and tidies what is closed: for some seconds
    // at most, unless one day takes longer. Days end by the time of the newest blocks.
    void round(pqxx::connection& connection, base::WallTime newest);

private:
    metrics::StorageSeries& series_;
    std::map<std::string, std::int64_t> sizes_;  // bytes of days that are over, by where they begin
};

}  // namespace receiptd::storage
