// Sends trees that have ended to the collector, as traces. A tree is done when the collector has taken it; if
// the process dies before that is stored, another one sends it again when the claim has run out.
#pragma once

#include "base/clock.hpp"
#include "base/sleep.hpp"
#include "base/token_bucket.hpp"
#include "config/settings.hpp"
#include "metrics/trace_series.hpp"
#include "storage/trace_choice.hpp"
#include "storage/trace_store.hpp"
#include "telemetry/collector.hpp"
#include "trace/service_names.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace receiptd::telemetry {

// Trees that are read, and kept in memory, at once.
inline constexpr unsigned kTreesAtOnce = 64;
// A longer request is divided, unless it is one tree.
inline constexpr std::size_t kLongestRequest = 1 << 20;

class Exporter {
public:
    using MakeCollector = std::function<std::unique_ptr<Collector>(const config::Traces&)>;
    using Chance = std::function<double()>;  // uniform in [0, 1)
    using IsBehind = std::function<bool()>;  // blocks are stored as fast as can be: traces wait

    Exporter(base::asio::any_io_executor executor, storage::TraceStore& store, storage::TraceChoice& choice,
             MakeCollector make_collector, metrics::TraceSeries& series, const base::Clock& clock,
             Chance chance, IsBehind is_behind, std::string network, const config::Traces& settings);

    // Trees are queued from the call on. The task runs until it is cancelled or storage stops.
    base::Task<void> run();
    void reload(const config::Traces& settings);

    // One look at the queue: whether there may be more to do now. For run() and tests.
    base::Task<bool> look();

private:
    struct Made {
        storage::QueuedTrace queued;
        std::string resource_spans;
        std::size_t spans = 0;
    };
    using Some = std::vector<Made>;

    base::Task<void> work();
    base::Task<void> tend();
    unsigned room();
    base::Task<Some> make(std::vector<storage::TraceFacts> traces);
    base::Task<bool> send_all(Some made);
    // False: the collector takes nothing now.
    base::Task<bool> send(Some some);
    base::Task<bool> send_each(Some some);
    static std::vector<storage::QueuedTrace> take_missing(Some& made);  // nothing is known of them any more
    static std::vector<Some> divided(Some made);
    void note_refused(const storage::QueuedTrace& trace, const Taken& taken);
    void note_taken(std::size_t trees, std::size_t spans, const Taken& taken);
    void hold_back(const Taken& taken);
    void recovered();

    base::asio::any_io_executor executor_;
    storage::TraceStore& store_;
    storage::TraceChoice& choice_;
    MakeCollector make_collector_;
    metrics::TraceSeries& series_;
    const base::Clock& clock_;
    Chance chance_;
    IsBehind is_behind_;
    std::string network_;
    config::Traces settings_;
    std::shared_ptr<Collector> collector_;  // null: nothing is sent
    trace::ServiceNames services_;          // used on thread_ alone
    base::TokenBucket budget_;
    base::SteadyTime tend_at_{};
    base::SteadyTime not_before_{};
    unsigned failures_ = 0;  // in a row
    bool running_ = false;
    base::asio::steady_timer timer_;
    base::asio::thread_pool thread_{1};  // where spans are made: no thread of ingest
};

}  // namespace receiptd::telemetry
