// Metrics of the alerts.
#pragma once

#include "metrics/metric_types.hpp"

#include <map>
#include <string>

namespace receiptd::metrics {

struct AlertSeries {
    explicit AlertSeries(Registry& registry);

    prometheus::Family<prometheus::Counter>& attempts;  // endpoint, outcome
    prometheus::Family<prometheus::Counter>& not_sent;  // endpoint, fate
    prometheus::Counter& plain;
    prometheus::Family<prometheus::Histogram>& seconds;  // endpoint; so are the rest
    prometheus::Family<prometheus::Histogram>& first_attempt_seconds;
    prometheus::Family<prometheus::Gauge>& pending;
    prometheus::Family<prometheus::Gauge>& dead;
    prometheus::Family<prometheus::Gauge>& oldest_pending_seconds;
    prometheus::Family<prometheus::Gauge>& oldest_cause_seconds;
    prometheus::Family<prometheus::Gauge>& not_tried;
    prometheus::Family<prometheus::Gauge>& switched_off;
    prometheus::Family<prometheus::Gauge>& circuit_open;

    // `state` is of a closed set.
    void set_timed_rules(const std::string& state, double rules);

private:
    prometheus::Family<prometheus::Gauge>& timed_rules_;  // state
};

// The series of one endpoint, looked up once.
class EndpointSeries {
public:
    EndpointSeries(AlertSeries& series, const std::string& endpoint);

    prometheus::Counter& delivered;
    prometheus::Counter& failed;                           // to be tried again
    prometheus::Counter& died;                             // given up
    std::map<std::string, prometheus::Counter*> not_sent;  // by fate, as deliveries.state has it
    prometheus::Histogram& seconds;
    prometheus::Histogram& first_attempt_seconds;  // from the alert's commit
    prometheus::Gauge& pending;
    prometheus::Gauge& dead;
    prometheus::Gauge& oldest_pending_seconds;
    prometheus::Gauge& oldest_cause_seconds;
    prometheus::Gauge& not_tried;
    prometheus::Gauge& switched_off;
    prometheus::Gauge& circuit_open;
};

}  // namespace receiptd::metrics
