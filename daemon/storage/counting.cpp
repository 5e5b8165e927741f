#include "storage/counting.hpp"

#include <string>

namespace receiptd::storage {

void count(metrics::WatchSeries& series, const chain::DecidedCounts& decided) {
    for (const auto& [verdict, times] : decided.verdicts)
        series.count_verdict(std::string(chain::verdict_name(verdict)), static_cast<double>(times));
    for (const auto& [finding, times] : decided.findings)
        series.count_finding(finding.first, finding.second, static_cast<double>(times));
}

}  // namespace receiptd::storage
