// The process's Prometheus registry. Each module has one struct of its series (metrics/series.hpp),
// made once from a Registry and injected; labels are looked up once, not per event.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <memory>
#include <string>

namespace receiptd::metrics {

class Registry {
public:
    Registry();

    prometheus::Family<prometheus::Counter>& counter(const std::string& name, const std::string& help);
    prometheus::Family<prometheus::Gauge>& gauge(const std::string& name, const std::string& help);
    prometheus::Family<prometheus::Histogram>& histogram(const std::string& name, const std::string& help);

    // The text exposition format, with the process's own series (cpu, memory, fds, start time).
    std::string serialize();

private:
    std::shared_ptr<prometheus::Registry> registry_;
};

// Buckets from 1 ms to 60 s.
prometheus::Histogram::BucketBoundaries seconds_buckets();
// Buckets by powers of four from 1 to 4^12.
prometheus::Histogram::BucketBoundaries size_buckets();

}  // namespace receiptd::metrics
