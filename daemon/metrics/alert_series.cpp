#include "metrics/alert_series.hpp"

#include "metrics/registry.hpp"

namespace receiptd::metrics {

AlertSeries::AlertSeries(Registry& r)
    : attempts(
          r.counter("receiptd_deliveries_total",
                    "Attempts to deliver an alert: delivered, failed (tried again later), dead (given up).",
                    {"endpoint", "outcome"})),
      not_sent(r.counter(
          "receiptd_alerts_not_sent_total",
          "Alerts that are not sent by themselves, by fate: grouped (counted in a digest), silenced, "
          "withheld (above the endpoint's limit per hour), late, overtaken (by a later message of its "
          "group), expired.",
          {"endpoint", "fate"})),
      plain(r.counter("receiptd_alerts_plain_total",
                      "Messages that were not as their schema says, and so were made in plain form.")
                .Add({})),
      seconds(r.histogram("receiptd_delivery_seconds", "Time of an attempt, from connecting to the answer.",
                          {"endpoint"})),
      first_attempt_seconds(r.histogram("receiptd_delivery_first_attempt_seconds",
                                        "From an alert's commit, or from when it need not wait for its "
                                        "outcomes any more, to the first attempt to deliver it.",
                                        {"endpoint"})),
      pending(r.gauge("receiptd_deliveries_pending", "Deliveries that are still to be made.", {"endpoint"})),
      dead(r.gauge("receiptd_deliveries_dead", "Deliveries given up; receiptd alerts resend revives them.",
                   {"endpoint"})),
      oldest_pending_seconds(r.gauge("receiptd_deliveries_oldest_pending_seconds",
                                     "Age of the oldest delivery that is still to be made; 0: there is none.",
                                     {"endpoint"})),
      oldest_cause_seconds(
          r.gauge("receiptd_deliveries_oldest_cause_seconds",
                  "Age, by block time, of the oldest cause of a delivery that is still to be made; 0: there "
                  "is none. The 1000 deliveries that wait longest are looked at.",
                  {"endpoint"})),
      not_tried(
          r.gauge("receiptd_deliveries_not_tried",
                  "Deliveries that have been due for five minutes without an attempt, though the endpoint is "
                  "served and neither paused nor out of order. The 1000 that wait longest are looked at.",
                  {"endpoint"})),
      switched_off(
          r.gauge("receiptd_endpoint_switched_off", "1 while it is, because it answered 410.", {"endpoint"})),
      circuit_open(
          r.gauge("receiptd_endpoint_circuit_open",
                  "1 after several failures in a row: one delivery at a time is tried, until one succeeds.",
                  {"endpoint"})),
      timed_rules_(r.gauge_of_leader(
          "receiptd_timed_rules",
          "Timed rules (absence, latency) by state: quiet, alert, or why they are not judged.", {"state"})) {}

void AlertSeries::set_timed_rules(const std::string& state, double rules) {
    timed_rules_.Add({{"state", state}}).Set(rules);
}

EndpointSeries::EndpointSeries(AlertSeries& series, const std::string& endpoint)
    : delivered(series.attempts.Add({{"endpoint", endpoint}, {"outcome", "delivered"}})),
      failed(series.attempts.Add({{"endpoint", endpoint}, {"outcome", "failed"}})),
      died(series.attempts.Add({{"endpoint", endpoint}, {"outcome", "dead"}})),
      not_sent({{"grouped", &series.not_sent.Add({{"endpoint", endpoint}, {"fate", "grouped"}})},
                {"late", &series.not_sent.Add({{"endpoint", endpoint}, {"fate", "late"}})},
                {"dead", &series.not_sent.Add({{"endpoint", endpoint}, {"fate", "expired"}})},
                {"overtaken", &series.not_sent.Add({{"endpoint", endpoint}, {"fate", "overtaken"}})},
                {"silenced", &series.not_sent.Add({{"endpoint", endpoint}, {"fate", "silenced"}})},
                {"withheld", &series.not_sent.Add({{"endpoint", endpoint}, {"fate", "withheld"}})}}),
      seconds(series.seconds.Add({{"endpoint", endpoint}}, seconds_buckets())),
      first_attempt_seconds(series.first_attempt_seconds.Add({{"endpoint", endpoint}}, seconds_buckets())),
      pending(series.pending.Add({{"endpoint", endpoint}})),
      dead(series.dead.Add({{"endpoint", endpoint}})),
      oldest_pending_seconds(series.oldest_pending_seconds.Add({{"endpoint", endpoint}})),
      oldest_cause_seconds(series.oldest_cause_seconds.Add({{"endpoint", endpoint}})),
      not_tried(series.not_tried.Add({{"endpoint", endpoint}})),
      switched_off(series.switched_off.Add({{"endpoint", endpoint}})),
      circuit_open(series.circuit_open.Add({{"endpoint", endpoint}})) {}

}  // namespace receiptd::metrics
