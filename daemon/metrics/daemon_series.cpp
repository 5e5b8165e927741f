#include "metrics/daemon_series.hpp"

#include "metrics/registry.hpp"

namespace receiptd::metrics {
namespace {

prometheus::Counter& maintenance(Registry& registry, const char* outcome) {
    return registry
        .counter("receiptd_maintenance_total",
                 "Rounds of the leader's maintenance (partitions, retention, old rows), one an hour: done, "
                 "failed.",
                 {"outcome"})
        .Add({{"outcome", outcome}});
}

}  // namespace

DaemonSeries::DaemonSeries(Registry& r, const std::string& version, const std::string& commit)
    : reload_succeeded(r.gauge("receiptd_config_last_reload_successful",
                               "1 unless the last SIGHUP found a configuration that cannot be used.")
                           .Add({}, 1)),
      clock_off(
          r.gauge("receiptd_clock_off_seconds",
                  "The clock of this machine minus the time that hosts tell (of several the one that agrees "
                  "most), else that of a newest block that lies ahead of it. 0: nobody tells it.")
              .Add({})),
      maintenance_done(maintenance(r, "done")),
      maintenance_failed(maintenance(r, "failed")) {
    r.gauge("receiptd_build_info", "Always 1; its labels say which build runs.", {"version", "commit"})
        .Add({{"version", version}, {"commit", commit}}, 1);
}

}  // namespace receiptd::metrics
