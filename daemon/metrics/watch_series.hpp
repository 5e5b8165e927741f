// Metrics of the watched transactions.
#pragma once

#include "metrics/metric_types.hpp"

#include <string>

namespace receiptd::metrics {

struct WatchSeries {
    explicit WatchSeries(Registry& registry);

    prometheus::Gauge& open;
    prometheus::Gauge& stuck;
    prometheus::Gauge& to_review;  // watches that something happened to, not looked at yet
    prometheus::Counter& tx_requests;
    prometheus::Counter& sender_requests;

    // Labels from closed sets: stages, verdicts, kinds of findings and error classes.
    void count_stage(const std::string& stage);
    void observe_stage(const std::string& stage, double seconds);
    void count_verdict(const std::string& verdict, double count);
    void count_finding(const std::string& kind, const std::string& error_class, double count);

private:
    prometheus::Family<prometheus::Counter>& stages_;
    prometheus::Family<prometheus::Histogram>& stage_seconds_;
    prometheus::Family<prometheus::Counter>& verdicts_;
    prometheus::Family<prometheus::Counter>& findings_;
};

}  // namespace receiptd::metrics
