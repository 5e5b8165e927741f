#include "metrics/watchdog_series.hpp"

#include "metrics/registry.hpp"

namespace receiptd::metrics {
namespace {

prometheus::Counter& messages(Registry& registry, const char* outcome) {
    return registry
        .counter(
            "receiptd_watchdog_messages_total",
            "Attempts to tell watchdog.endpoint that the daemon stands still, or works again: delivered, "
            "failed.",
            {"outcome"})
        .Add({{"outcome", outcome}});
}

prometheus::Counter& pings(Registry& registry, const char* outcome) {
    return registry
        .counter("receiptd_watchdog_pings_total",
                 "Requests to watchdog.ping_url, which the leader sends while all is well: answered, failed.",
                 {"outcome"})
        .Add({{"outcome", outcome}});
}

}  // namespace

WatchdogSeries::WatchdogSeries(Registry& r)
    : stalled(r.gauge("receiptd_stalled",
                      "1 while a part of the daemon stands still: it has work, and has done none of it for "
                      "watchdog.stalled_after.",
                      {"part"})),
      messages_delivered(messages(r, "delivered")),
      messages_failed(messages(r, "failed")),
      pings_answered(pings(r, "answered")),
      pings_failed(pings(r, "failed")) {}

}  // namespace receiptd::metrics
