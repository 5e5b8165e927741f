// Writes docs/configuration.md, docs/receiptd.example.toml and docs/metrics.md into a folder; `./dev docs`
// calls it.
#include "config/describe.hpp"
#include "metrics/alert_series.hpp"
#include "metrics/api_series.hpp"
#include "metrics/daemon_series.hpp"
#include "metrics/follow_series.hpp"
#include "metrics/registry.hpp"
#include "metrics/rpc_series.hpp"
#include "metrics/storage_series.hpp"
#include "metrics/trace_series.hpp"
#include "metrics/watch_series.hpp"
#include "metrics/watchdog_series.hpp"

#include <fstream>
#include <iostream>
#include <string>

namespace {

namespace metrics = receiptd::metrics;

constexpr const char* kIntroduction =
    "# Metrics\n\n"
    "`GET /metrics` returns them in the text format of Prometheus. `./dev docs` writes this page from the "
    "program.\n\n"
    "A daemon counts what it does itself: of several on one database, add the counters up. Gauges of what "
    "only the\n"
    "leader does are absent elsewhere. Rules for alerts and boards of Grafana are in "
    "[dashboards](../dashboards/README.md).\n\n"
    "| metric | type | labels | meaning |\n"
    "|---|---|---|---|\n";

std::string metrics_markdown() {
    metrics::Registry registry;
    const metrics::AlertSeries alerts(registry);
    const metrics::ApiSeries api(registry);
    const metrics::DaemonSeries daemon(registry, "", "");
    const metrics::FollowSeries follow(registry);
    const metrics::RpcSeries rpc(registry);
    const metrics::StorageSeries storage(registry);
    const metrics::WatchSeries watch(registry);
    const metrics::WatchdogSeries watchdog(registry);
    const metrics::TraceSeries traces(registry);
    std::string text = kIntroduction;
    for (const auto& [name, metric] : registry.described()) {
        std::string labels;
        for (const auto& label : metric.labels) labels += (labels.empty() ? "`" : ", `") + label + "`";
        text += "| `" + name + "` | " + metric.type + " | " + labels + " | " + metric.help + " |\n";
    }
    return text;
}

bool write(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    return static_cast<bool>(file);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: config-docs FOLDER\n";
        return 2;
    }
    const std::string folder = argv[1];
    if (write(folder + "/configuration.md", receiptd::config::describe_keys_markdown()) &&
        write(folder + "/receiptd.example.toml", receiptd::config::example_toml()) &&
        write(folder + "/metrics.md", metrics_markdown()))
        return 0;
    std::cerr << "config-docs: cannot write to " << folder << "\n";
    return 1;
}
