// The process's Prometheus registry. Each module has one struct of its series (metrics/series.hpp),
// made once from a Registry and injected; labels are looked up once, not per event.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace receiptd::metrics {

using LabelNames = std::vector<std::string>;

// What docs/metrics.md says of a metric.
struct Description {
    std::string type;  // "counter", "gauge", "histogram"
    std::string help;
    LabelNames labels;
};

class Registry {
public:
    Registry();

    // `labels`: the names that its series have.
    prometheus::Family<prometheus::Counter>& counter(const std::string& name, const std::string& help,
                                                     const LabelNames& labels = {});
    prometheus::Family<prometheus::Gauge>& gauge(const std::string& name, const std::string& help,
                                                 const LabelNames& labels = {});
    // A gauge of what only the leader does is not shown by other daemons, where its value means nothing.
    prometheus::Family<prometheus::Gauge>& gauge_of_leader(const std::string& name, const std::string& help,
                                                           const LabelNames& labels = {});
    prometheus::Family<prometheus::Histogram>& histogram(const std::string& name, const std::string& help,
                                                         const LabelNames& labels = {});

    // The text exposition format, with the process's own series (cpu, memory, fds, start time).
    std::string serialize(bool leads = true);
    // By name; the process's own are among them.
    const std::map<std::string, Description>& described() const { return described_; }

private:
    void describe(const std::string& name, const char* type, const std::string& help,
                  const LabelNames& labels);

    std::shared_ptr<prometheus::Registry> registry_;
    std::map<std::string, Description> described_;
    std::set<std::string> of_leader_;
};

// Buckets from 1 ms to 60 s.
prometheus::Histogram::BucketBoundaries seconds_buckets();
// Buckets by powers of four from 1 to 4^12.
prometheus::Histogram::BucketBoundaries size_buckets();

}  // namespace receiptd::metrics
