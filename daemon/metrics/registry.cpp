#include "metrics/registry.hpp"

#include <prometheus/text_serializer.h>

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <utility>

namespace receiptd::metrics {
namespace {

double start_time_seconds() {
    static const double start =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    return start;
}

double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// {virtual, resident} in bytes.
std::pair<double, double> memory_bytes() {
    std::ifstream statm("/proc/self/statm");
    double size_pages = 0;
    double resident_pages = 0;
    statm >> size_pages >> resident_pages;
    const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
    return {size_pages * page, resident_pages * page};
}

double open_fds() {
    double count = 0;
    if (DIR* fds = opendir("/proc/self/fd")) {
        while (readdir(fds) != nullptr) ++count;
        closedir(fds);
        count -= 3;  // ".", ".." and the listing's own descriptor
    }
    return count;
}

struct ProcessMetric {
    const char* name;
    const char* type;
    const char* help;
};
constexpr ProcessMetric kCpu = {"process_cpu_seconds_total", "counter", "CPU time spent by the daemon."};
constexpr ProcessMetric kVirtual = {"process_virtual_memory_bytes", "gauge", "Virtual memory size."};
constexpr ProcessMetric kResident = {"process_resident_memory_bytes", "gauge", "Resident memory size."};
constexpr ProcessMetric kFds = {"process_open_fds", "gauge", "Open file descriptors."};
constexpr ProcessMetric kStart = {"process_start_time_seconds", "gauge",
                                  "Start of the process, seconds since 1970."};

void append_sample(std::ostream& out, const ProcessMetric& metric, double value) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.15g", value);
    out << "# HELP " << metric.name << ' ' << metric.help << "\n# TYPE " << metric.name << ' ' << metric.type
        << '\n'
        << metric.name << ' ' << digits << '\n';
}

}  // namespace

Registry::Registry() : registry_(std::make_shared<prometheus::Registry>()) {
    start_time_seconds();
    for (const auto& metric : {kCpu, kVirtual, kResident, kFds, kStart})
        describe(metric.name, metric.type, metric.help, {});
}

void Registry::describe(const std::string& name, const char* type, const std::string& help,
                        const LabelNames& labels) {
    described_.emplace(name, Description{type, help, labels});
}

prometheus::Family<prometheus::Counter>& Registry::counter(const std::string& name, const std::string& help,
                                                           const LabelNames& labels) {
    describe(name, "counter", help, labels);
    return prometheus::BuildCounter().Name(name).Help(help).Register(*registry_);
}

prometheus::Family<prometheus::Gauge>& Registry::gauge(const std::string& name, const std::string& help,
                                                       const LabelNames& labels) {
    describe(name, "gauge", help, labels);
    return prometheus::BuildGauge().Name(name).Help(help).Register(*registry_);
}

prometheus::Family<prometheus::Gauge>& Registry::gauge_of_leader(const std::string& name,
                                                                 const std::string& help,
                                                                 const LabelNames& labels) {
    of_leader_.insert(name);
    return gauge(name, help + " Only the leader shows it.", labels);
}

prometheus::Family<prometheus::Histogram>& Registry::histogram(const std::string& name,
                                                               const std::string& help,
                                                               const LabelNames& labels) {
    describe(name, "histogram", help, labels);
    return prometheus::BuildHistogram().Name(name).Help(help).Register(*registry_);
}

std::string Registry::serialize(bool leads) {
    std::ostringstream out;
    auto families = registry_->Collect();
    if (!leads)
        std::erase_if(families, [this](const auto& family) { return of_leader_.contains(family.name); });
    prometheus::TextSerializer().Serialize(out, families);
    const auto [virtual_bytes, resident_bytes] = memory_bytes();
    append_sample(out, kCpu, cpu_seconds());
    append_sample(out, kVirtual, virtual_bytes);
    append_sample(out, kResident, resident_bytes);
    append_sample(out, kFds, open_fds());
    append_sample(out, kStart, start_time_seconds());
    return out.str();
}

prometheus::Histogram::BucketBoundaries seconds_buckets() {
    return {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
}

prometheus::Histogram::BucketBoundaries size_buckets() {
    prometheus::Histogram::BucketBoundaries bounds;
    for (double bound = 1; bound <= 16'777'216; bound *= 4) bounds.push_back(bound);
    return bounds;
}

}  // namespace receiptd::metrics
