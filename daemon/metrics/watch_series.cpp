#include "metrics/watch_series.hpp"

namespace receiptd::metrics {

WatchSeries::WatchSeries(Registry& r)
    : open(r.gauge("receiptd_watches_open", "Watched transactions that have not ended.").Add({})),
      stuck(r.gauge("receiptd_watches_stuck", "Of these, the ones that are too long in their stage.").Add({})),
      to_review(
          r.gauge("receiptd_watches_to_review", "Of these, the ones that something happened to just now.")
              .Add({})),
      tx_requests(r.counter("receiptd_watch_tx_requests_total",
                            "Questions about a watched transaction that the follower could not see.")
                      .Add({})),
      sender_requests(r.counter("receiptd_watch_sender_requests_total",
                                "Questions about the key or balance of a watched transaction's signer.")
                          .Add({})),
      stages_(r.counter("receiptd_watch_stages_total", "Stages that watched transactions have reached.")),
      stage_seconds_(r.histogram("receiptd_watch_stage_seconds",
                                 "Chain time from a watched transaction's inclusion to a stage.")),
      verdicts_(r.counter("receiptd_verdicts_total", "Transactions judged, watched or not.")),
      findings_(r.counter("receiptd_findings_total", "Failures found, of transactions watched or not.")) {}

void WatchSeries::observe_stage(const std::string& stage, double seconds) {
    stage_seconds_.Add({{"stage", stage}}, seconds_buckets()).Observe(seconds);
}

void WatchSeries::count_verdict(const std::string& verdict, double count) {
    verdicts_.Add({{"verdict", verdict}}).Increment(count);
}

void WatchSeries::count_finding(const std::string& kind, const std::string& error_class, double count) {
    findings_.Add({{"kind", kind}, {"error_class", error_class}}).Increment(count);
}

}  // namespace receiptd::metrics
