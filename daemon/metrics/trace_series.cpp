#include "metrics/trace_series.hpp"

#include "metrics/registry.hpp"

namespace receiptd::metrics {
namespace {

prometheus::Counter& trees(Registry& registry, const char* fate) {
    return registry
        .counter(
            "receiptd_traces_total",
            "Trees that were to leave as traces: sent, refused by the collector, too_old (they ended more "
            "than "
            "30 minutes ago), crowded_out (more than 100,000 waited), missing (nothing is stored of them).",
            {"fate"})
        .Add({{"fate", fate}});
}

prometheus::Counter& spans_of(Registry& registry, const char* fate) {
    return registry
        .counter("receiptd_trace_spans_total", "Spans that the collector got: taken, rejected.", {"fate"})
        .Add({{"fate", fate}});
}

prometheus::Counter& requests(Registry& registry, const char* outcome) {
    return registry
        .counter("receiptd_trace_requests_total",
                 "Requests to the collector of traces: taken, refused, failed (they are repeated).",
                 {"outcome"})
        .Add({{"outcome", outcome}});
}

}  // namespace

TraceSeries::TraceSeries(Registry& r)
    : sent(trees(r, "sent")),
      refused(trees(r, "refused")),
      too_old(trees(r, "too_old")),
      crowded_out(trees(r, "crowded_out")),
      missing(trees(r, "missing")),
      spans(spans_of(r, "taken")),
      spans_rejected(spans_of(r, "rejected")),
      requests_taken(requests(r, "taken")),
      requests_refused(requests(r, "refused")),
      requests_failed(requests(r, "failed")),
      pending(r.gauge("receiptd_traces_pending", "Trees that wait to be sent as traces.", {}).Add({})),
      oldest_pending_seconds(r.gauge("receiptd_traces_oldest_pending_seconds",
                                     "Age of the oldest of them; 0: there is none.", {})
                                 .Add({})) {}

}  // namespace receiptd::metrics
