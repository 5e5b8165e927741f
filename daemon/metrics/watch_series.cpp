#include "metrics/watch_series.hpp"

#include "metrics/registry.hpp"

#include <array>

namespace receiptd::metrics {
namespace {

// The words of chain::stage_name, chain::verdict_name and chain::withheld; metrics/ may not include chain/.
constexpr std::array kStages = {"accepted",  "pending", "included", "executing",
                                "completed", "final",   "rejected", "forwarding_failed",
                                "dropped",   "expired", "unknown"};
constexpr std::array kWithheld = {"backfill", "before_database", "too_old"};
constexpr std::array kFates = {"final", "early", "confirmed", "retracted"};
constexpr std::array kVerdicts = {"succeeded", "failed", "callback_failed", "receipt_failed",
                                  "succeeded_with_handled_failure"};

}  // namespace

WatchSeries::WatchSeries(Registry& r)
    : open(r.gauge_of_leader("receiptd_watches_open", "Watched transactions that have not ended.").Add({})),
      stuck(
          r.gauge_of_leader("receiptd_watches_stuck", "Of these, the ones that are too long in their stage.")
              .Add({})),
      to_review(r.gauge_of_leader("receiptd_watches_to_review",
                                  "Of these, the ones that something happened to just now.")
                    .Add({})),
      tx_requests(r.counter("receiptd_watch_tx_requests_total",
                            "Questions about a watched transaction that the follower could not see.")
                      .Add({})),
      sender_requests(r.counter("receiptd_watch_sender_requests_total",
                                "Questions about the access key of a watched transaction's signer.")
                          .Add({})),
      stages_(r.counter("receiptd_watch_stages_total", "Stages that watched transactions have reached.",
                        {"stage"})),
      stage_seconds_(r.histogram("receiptd_watch_stage_seconds",
                                 "Chain time from a watched transaction's inclusion to a stage.", {"stage"})),
      inclusions_(
          r.counter("receiptd_inclusions_total",
                    "Inclusions of watched transactions: in a final block, or early in one that was not "
                    "final yet, and then confirmed or retracted.",
                    {"fate"})),
      verdicts_(r.counter("receiptd_verdicts_total", "Transactions judged, watched or not.", {"verdict"})),
      findings_(r.counter("receiptd_findings_total", "Failures found, of transactions watched or not.",
                          {"kind", "error_class"})) {
    // A series that begins at 1 has no increase: the first one dropped would be told to nobody.
    for (const char* stage : kStages) stages_.Add({{"stage", stage}});
    for (const char* fate : kFates) inclusions_.Add({{"fate", fate}});
    for (const char* verdict : kVerdicts) verdicts_.Add({{"verdict", verdict}});
    auto& withheld =
        r.counter("receiptd_findings_withheld_total",
                  "Findings stored without an alert: they are no news, by why that is so.", {"reason"});
    for (const char* reason : kWithheld) withheld_[reason] = &withheld.Add({{"reason", reason}});
}

void WatchSeries::observe_stage(const std::string& stage, double seconds) {
    stage_seconds_.Add({{"stage", stage}}, seconds_buckets()).Observe(seconds);
}

void WatchSeries::count_stage(const std::string& stage) { stages_.Add({{"stage", stage}}).Increment(); }

void WatchSeries::count_inclusion(const std::string& fate) { inclusions_.Add({{"fate", fate}}).Increment(); }

void WatchSeries::count_verdict(const std::string& verdict, double count) {
    verdicts_.Add({{"verdict", verdict}}).Increment(count);
}

void WatchSeries::count_finding(const std::string& kind, const std::string& error_class, double count) {
    findings_.Add({{"kind", kind}, {"error_class", error_class}}).Increment(count);
}

void WatchSeries::count_withheld(const std::string& reason, double count) {
    withheld_.at(reason)->Increment(count);
}

std::map<std::string, double> WatchSeries::withheld() const {
    std::map<std::string, double> counts;
    for (const auto& [reason, counter] : withheld_) counts[reason] = counter->Value();
    return counts;
}

}  // namespace receiptd::metrics
