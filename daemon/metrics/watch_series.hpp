// Metrics of the watched transactions.
#pragma once

#include "metrics/metric_types.hpp"

#include <map>
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
    void count_inclusion(const std::string& fate);  // "final", "early", "confirmed", "retracted"
    void observe_stage(const std::string& stage, double seconds);
    void count_verdict(const std::string& verdict, double count);
    void count_finding(const std::string& kind, const std::string& error_class, double count);
    void count_withheld(const std::string& reason, double count);
    std::map<std::string, double> withheld() const;  // since the start, by reason

private:
    prometheus::Family<prometheus::Counter>& stages_;
    prometheus::Family<prometheus::Histogram>& stage_seconds_;
    prometheus::Family<prometheus::Counter>& inclusions_;
    prometheus::Family<prometheus::Counter>& verdicts_;
    prometheus::Family<prometheus::Counter>& findings_;
    std::map<std::string, prometheus::Counter*> withheld_;
};

}  // namespace receiptd::metrics
