#include "telemetry/exporter.hpp"

#include "base/backoff.hpp"
#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "base/offload.hpp"
#include "metrics/registry.hpp"
#include "storage/errors.hpp"
#include "trace/otlp.hpp"
#include "watch/transaction_trace.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::telemetry {

namespace {

using namespace std::chrono_literals;

constexpr auto kLookEvery = 500ms;
constexpr auto kWhileBehind = 5s;  // some leave all the same, as a gap may take longer than they may wait
constexpr auto kAfterStorageFault = 5s;
constexpr auto kTendEvery = 10s;
constexpr base::BackoffPolicy kBackoff{1s, 60s};

storage::TraceRules rules_of(const config::Traces& settings) {
    if (settings.otlp_url.empty()) return {};
    return {settings.watched, settings.failed, settings.sample};
}

base::TokenBucket budget_of(const config::Traces& settings, base::SteadyTime now) {
    return {settings.most_per_second, settings.most_per_second, now};
}

// The execution that was queued, which need not be the one that is shown.
void show_execution_at(watch::TransactionView& view, chain::BlockHeight height) {
    const auto is_it = [height](const chain::Judgement& tree) {
        return tree.included_at && tree.included_at->height == height;
    };
    if (height == 0 || !view.tree || is_it(*view.tree)) return;
    const auto found = std::find_if(view.other_executions.begin(), view.other_executions.end(), is_it);
    if (found != view.other_executions.end()) std::swap(*view.tree, *found);
}

watch::TransactionView view_of(storage::TraceFacts& facts) {
    watch::StoredTransaction stored;
    stored.tx_hash = facts.queued.tx_hash;
    stored.watch = std::move(facts.watch);
    stored.transitions = std::move(facts.transitions);
    stored.tree = std::move(facts.tree);
    auto view = watch::transaction_view(std::move(stored));
    show_execution_at(view, facts.queued.included_height);
    return view;
}

std::vector<storage::QueuedTrace> queued_of(const auto& some) {
    std::vector<storage::QueuedTrace> queued;
    for (const auto& each : some) queued.push_back(each.queued);
    return queued;
}

}  // namespace

Exporter::Exporter(base::asio::any_io_executor executor, storage::TraceStore& store,
                   storage::TraceChoice& choice, MakeCollector make_collector, metrics::TraceSeries& series,
                   const base::Clock& clock, Chance chance, IsBehind is_behind, std::string network,
                   const config::Traces& settings)
    : executor_(std::move(executor)),
      store_(store),
      choice_(choice),
      make_collector_(std::move(make_collector)),
      series_(series),
      clock_(clock),
      chance_(std::move(chance)),
      is_behind_(std::move(is_behind)),
      network_(std::move(network)),
      services_(settings.most_services),
      budget_(budget_of(settings, clock.steady())),
      timer_(executor_) {
    reload(settings);
}

void Exporter::reload(const config::Traces& settings) {
    settings_ = settings;
    budget_ = budget_of(settings, clock_.steady());
    collector_ = settings.otlp_url.empty() ? nullptr : make_collector_(settings);
    not_before_ = {};
    if (running_) choice_.set(rules_of(settings));
}

base::Task<void> Exporter::run() {
    running_ = true;
    choice_.set(rules_of(settings_));
    return work();
}

base::Task<void> Exporter::work() {
    base::SteadyTime looked_at{};
    while (true) {
        base::Duration pause = kLookEvery;
        const bool waits = is_behind_() && clock_.steady() < looked_at + kWhileBehind;
        try {
            bool more = false;
            if (!waits) more = co_await look();
            if (!waits) looked_at = clock_.steady();
            if (more && !is_behind_()) continue;
        } catch (const storage::StorageError& e) {
            log::error("the database refuses to read what leaves as traces", {{"because", e.what()}});
            pause = kAfterStorageFault;
        }
        co_await base::sleep_on(timer_, pause);
    }
}

base::Task<bool> Exporter::look() {
    if (!collector_) co_return false;
    if (clock_.steady() >= tend_at_) co_await tend();
    const auto most = room();
    if (most == 0) co_return false;
    auto claimed = co_await store_.claim_traces(most, settings_.arguments);
    series_.too_old.Increment(static_cast<double>(claimed.too_old));
    // Few are left to wait for others: to read some trees costs the database little more than to read one.
    const bool more = claimed.traces.size() + claimed.too_old >= most;
    if (claimed.traces.empty()) co_return more;
    for (std::size_t i = 0; i < claimed.traces.size(); ++i) budget_.take(clock_.steady());
    auto made = co_await make(std::move(claimed.traces));
    if (!co_await send_all(std::move(made))) co_return false;
    co_return more;
}

// Counted in time, as a queue that nobody empties must not grow.
base::Task<void> Exporter::tend() {
    const auto backlog = co_await store_.tend_traces();
    tend_at_ = clock_.steady() + kTendEvery;
    series_.crowded_out.Increment(static_cast<double>(backlog.crowded_out));
    series_.pending.Set(static_cast<double>(backlog.pending));
    series_.oldest_pending_seconds.Set(std::chrono::duration<double>(backlog.oldest).count());
}

unsigned Exporter::room() {
    const auto now = clock_.steady();
    if (now < not_before_) return 0;
    if (budget_.per_second() <= 0) return kTreesAtOnce;
    return static_cast<unsigned>(std::min<double>(kTreesAtOnce, budget_.available(now)));
}

base::Task<Exporter::Some> Exporter::make(std::vector<storage::TraceFacts> traces) {
    return base::offload(thread_, [this, traces = std::move(traces)]() mutable {
        Some made;
        for (auto& facts : traces) {
            auto arguments = std::move(facts.arguments);
            const auto queued = facts.queued;
            auto trace = watch::transaction_trace(view_of(facts), network_, services_, std::move(arguments));
            made.push_back({queued, std::move(trace.resource_spans), trace.spans});
        }
        return made;
    });
}

base::Task<bool> Exporter::send_all(Some made) {
    auto missing = take_missing(made);
    if (!missing.empty()) {
        series_.missing.Increment(static_cast<double>(missing.size()));
        co_await store_.traces_done(std::move(missing));
    }
    bool goes_on = true;
    for (auto& some : divided(std::move(made))) {
        if (goes_on)
            goes_on = co_await send(std::move(some));
        else
            co_await store_.release_traces(queued_of(some));
    }
    co_return goes_on;
}

std::vector<storage::QueuedTrace> Exporter::take_missing(Some& made) {
    std::vector<storage::QueuedTrace> missing;
    std::erase_if(made, [&missing](const Made& one) {
        if (one.spans == 0) missing.push_back(one.queued);
        return one.spans == 0;
    });
    return missing;
}

// For a request each.
std::vector<Exporter::Some> Exporter::divided(Some made) {
    std::vector<Some> requests;
    std::size_t bytes = kLongestRequest;
    for (auto& one : made) {
        const auto more = one.resource_spans.size();
        if (requests.empty() || bytes + more > kLongestRequest) {
            requests.emplace_back();
            bytes = 0;
        }
        bytes += more;
        requests.back().push_back(std::move(one));
    }
    return requests;
}

base::Task<bool> Exporter::send(Some some) {
    std::vector<std::string> bodies;
    std::size_t spans = 0;
    for (const auto& made : some) {
        bodies.push_back(made.resource_spans);
        spans += made.spans;
    }
    const auto collector = collector_;
    Taken taken;
    if (collector) taken = co_await collector->post(trace::to_request(bodies));
    const auto fate = fate_of(taken.status);
    if (fate == Fate::again) {
        hold_back(taken);
        co_await store_.release_traces(queued_of(some));
        co_return false;
    }
    recovered();
    if (fate == Fate::refused && some.size() > 1) co_return co_await send_each(std::move(some));
    if (fate == Fate::refused)
        note_refused(some.front().queued, taken);
    else
        note_taken(some.size(), spans, taken);
    co_await store_.traces_done(queued_of(some));
    co_return true;
}

// One of them may be to blame.
base::Task<bool> Exporter::send_each(Some some) {
    series_.requests_refused.Increment();
    bool goes_on = true;
    for (auto& made : some) {
        Some one;
        one.push_back(std::move(made));
        if (goes_on)
            goes_on = co_await send(std::move(one));
        else
            co_await store_.release_traces(queued_of(one));
    }
    co_return goes_on;
}

void Exporter::note_refused(const storage::QueuedTrace& trace, const Taken& taken) {
    series_.requests_refused.Increment();
    series_.refused.Increment();
    log::warn("the collector refuses a trace",
              {{"tx_hash", trace.tx_hash}, {"status", taken.status}, {"answer", taken.error}});
}

void Exporter::note_taken(std::size_t trees, std::size_t spans, const Taken& taken) {
    const auto rejected = std::min<std::uint64_t>(spans, taken.rejected_spans);
    series_.requests_taken.Increment();
    series_.sent.Increment(static_cast<double>(trees));
    series_.spans.Increment(static_cast<double>(spans - rejected));
    series_.spans_rejected.Increment(static_cast<double>(rejected));
}

void Exporter::hold_back(const Taken& taken) {
    ++failures_;
    series_.requests_failed.Increment();
    const auto wait = taken.retry_after.value_or(base::backoff_delay(kBackoff, failures_, chance_()));
    not_before_ = clock_.steady() + wait;
    if (failures_ == 1)
        log::warn("the collector of traces takes nothing; what ends waits for 30 minutes",
                  {{"status", taken.status}, {"because", taken.error}});
}

void Exporter::recovered() {
    if (failures_ > 0) log::info("the collector of traces takes them again", {{"failed_before", failures_}});
    failures_ = 0;
    not_before_ = {};
}

}  // namespace receiptd::telemetry
