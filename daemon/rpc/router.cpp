#include "rpc/router.hpp"

#include "base/log.hpp"
#include "base/sleep.hpp"
#include "metrics/registry.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::rpc {
namespace {

constexpr std::size_t kLongestDetail = 800;
constexpr unsigned kMostRefusals = 64;

bool concerns(const Call& call, std::size_t host) {
    return (!call.only_host || *call.only_host == host) && !call.except.contains(host);
}

// "Not known here" that a retention explains, rather than a shard that is not tracked.
bool speaks_of_retention(const Verdict& verdict) {
    return verdict.error_class == ErrorClass::pruned &&
           (verdict.reason == "UNKNOWN_BLOCK" || verdict.reason == "UNKNOWN_CHUNK");
}

}  // namespace

// Everything this call has learned so far.
struct Router::Progress {
    struct Host {
        unsigned tries = 0;
        std::optional<Verdict> last;
    };
    explicit Progress(std::size_t count) : hosts(count) {}

    std::vector<Host> hosts;
    unsigned failures = 0;
    unsigned refusals = 0;
    base::Duration spent{};
    std::optional<Verdict> last;
    bool finished = false;  // no host can say better
    bool method_missing = false;
    bool in_part = false;  // a host has told it, and a part cannot be read: the others are not waited for
    std::string detail;
    std::string finished_by;
};

Router::Router(base::asio::any_io_executor executor, std::shared_ptr<TimeAndChance> time,
               std::vector<std::unique_ptr<Upstream>> hosts, RouterLimits limits, metrics::RpcSeries* series)
    : executor_(std::move(executor)),
      time_(std::move(time)),
      hosts_(std::move(hosts)),
      limits_(limits),
      series_(series) {}

base::Task<base::Result<std::size_t, CallError>> Router::call(Call call) {
    Progress progress(hosts_.size());
    base::asio::steady_timer timer(executor_);
    const auto attempts = call.only_host ? 1 : limits_.attempts;
    const auto refusals = call.only_host ? 1 : kMostRefusals;
    while (!progress.finished && progress.failures < attempts && progress.refusals < refusals) {
        const auto host = choose(view(call, progress));
        if (!host) break;
        if (!call.for_proof && !may_be_used(hosts_[*host]->network())) {
            const bool is_down = hosts_[*host]->network().untold > 0;
            if (call.only_host && is_down) break;
            if (!co_await proves_itself(*hosts_[*host], progress)) break;
            continue;
        }
        const auto pause = std::max(pause_before(progress, *host), hosts_[*host]->wait());
        if (progress.in_part && pause > base::Duration::zero()) break;
        if (progress.spent + pause > limits_.time) break;
        progress.spent += pause;
        if (pause > hosts_[*host]->wait()) co_await time_->sleep(timer, pause);
        const bool first = progress.hosts[*host].tries == 0;
        auto exchange = co_await hosts_[*host]->ask(call.request, call.read, known_head(), first);
        if (!exchange) {
            ++progress.refusals;
            continue;
        }
        progress.spent += exchange->took;
        if (exchange->verdict.error_class == ErrorClass::ok) {
            learn(call, progress, *host);
            co_return *host;
        }
        note(progress, *host, exchange->verdict, exchange->status);
    }
    learn(call, progress, std::nullopt);
    co_return give_up(call, progress);
}

base::Task<bool> Router::proves_itself(Upstream& host, Progress& progress) {
    const auto started = time_->now();
    co_await host.wait_for_proof(limits_.time - progress.spent);
    progress.spent += time_->now() - started;
    co_return progress.spent < limits_.time;
}

bool Router::offers(const Upstream& host, const std::string& method) const {
    return host.memory().supports(method, time_->now());
}

std::vector<std::size_t> Router::ready(HostKind kind, const std::string& method) const {
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        const auto& host = *hosts_[i];
        if (host.kind() == kind && offers(host, method) && may_be_used(host.network()) &&
            host.wait() == base::Duration::zero())
            ready.push_back(i);
    }
    return ready;
}

std::optional<std::size_t> Router::ready_except(const std::string& method,
                                                const std::set<std::size_t>& except) const {
    for (const auto kind : {HostKind::regular, HostKind::archival})
        for (const auto host : ready(kind, method))
            if (!except.contains(host)) return host;
    return std::nullopt;
}

std::optional<std::size_t> Router::find(const std::string& name) const {
    for (std::size_t i = 0; i < hosts_.size(); ++i)
        if (hosts_[i]->name() == name) return i;
    return std::nullopt;
}

bool Router::is_offered(const std::string& method, const std::set<std::size_t>& except) const {
    for (std::size_t i = 0; i < hosts_.size(); ++i)
        if (!except.contains(i) && offers(*hosts_[i], method)) return true;
    return false;
}

std::vector<HostView> Router::view(const Call& call, const Progress& progress) const {
    bool archive_denied = false;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        const auto& last = progress.hosts[i].last;
        archive_denied = archive_denied || (hosts_[i]->kind() == HostKind::archival && last && last->absent &&
                                            last->reason == "UNKNOWN_BLOCK");
    }
    std::vector<HostView> views;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        const auto& host = *hosts_[i];
        const auto& seen = progress.hosts[i];
        HostView view;
        view.kind = host.kind();
        view.usable = concerns(call, i) && offers(host, call.request.method) &&
                      (call.for_proof || host.network().state != NetworkState::other_network);
        view.unproven = !call.for_proof && !may_be_used(host.network());
        view.absent = seen.last && seen.last->absent && !seen.last->again;
        // A block that an archival host denies was never there: below its horizon a host is asked in vain.
        view.usable = view.usable && !(archive_denied && call.request.height &&
                                       host.memory().below_horizon(*call.request.height));
        view.below_horizon = call.request.height && host.memory().below_horizon(*call.request.height);
        view.untracked =
            call.request.shard_id && host.memory().lacks_shard(*call.request.shard_id, time_->now());
        view.doubted = host.doubted();
        view.first = call.first_host == i;
        view.last = call.last_host == host.name();
        view.tries = seen.tries;
        view.wait = host.wait();
        view.health = host.health().score;
        view.load = host.load(call.request);
        views.push_back(view);
    }
    return views;
}

// A host that failed us in this call gets time to recover; another one is asked at once.
base::Duration Router::pause_before(const Progress& progress, std::size_t host) {
    const auto tries = progress.hosts[host].tries;
    if (tries == 0) return base::Duration::zero();
    return base::backoff_delay(limits_.backoff, tries, time_->chance());
}

void Router::note(Progress& progress, std::size_t host, const Verdict& verdict, int status) const {
    auto& seen = progress.hosts[host];
    seen.last = verdict;
    progress.last = verdict;
    if (verdict.method_missing) progress.method_missing = true;
    if (verdict.reason == kReadableInPart) progress.in_part = true;
    const bool failed =
        verdict.blames_host() || verdict.again || verdict.error_class == ErrorClass::rate_limited;
    if (failed) {
        ++seen.tries;
        ++progress.failures;
    } else if (!verdict.absent && !verdict.method_missing) {
        progress.finished = true;
        progress.finished_by = hosts_[host]->name();
    }
    if (progress.detail.size() > kLongestDetail) return;
    if (!progress.detail.empty()) progress.detail += "; ";
    const auto state = hosts_[host]->state();
    progress.detail += state.name + " (" + state.kind + ", " + state.origin + "): " + verdict.reason;
    if (status != 0) progress.detail += ", HTTP " + std::to_string(status);
    if (!verdict.text.empty()) progress.detail += ", " + verdict.text;
}

// A host that does not know what another one has just given does not track its shard, has forgotten it, or
// lags.
void Router::learn(const Call& call, const Progress& progress, std::optional<std::size_t> answered) {
    const auto& request = call.request;
    if (answered && request.height) hosts_[*answered]->saw_block(*request.height);
    if (answered && request.shard_id) {
        hosts_[*answered]->tracks(*request.shard_id);
        show_shard(*request.shard_id);
    }
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        const auto& last = progress.hosts[i].last;
        if (i == answered || !last) continue;
        if (last->untracked_shard)
            hosts_[i]->lacks_shard(*last->untracked_shard, std::nullopt);
        else if (lacks_shard(request, *last, *hosts_[i]))
            hosts_[i]->lacks_shard(*request.shard_id, request.height);
        else if (answered && request.height && speaks_of_retention(*last))
            hosts_[i]->lacks(*request.height, hosts_[i]->memory().head());
    }
    learn_untracked();
}

bool Router::lacks_shard(const Request& request, const Verdict& verdict, const Upstream& host) const {
    if (!request.shard_id || !request.height) return false;
    if (verdict.speaks_of_shard()) return true;
    const auto& memory = host.memory();
    // Its own head tells whether it lags; of one that has told none, the others' heads have to do.
    const bool is_there = memory.head() ? *request.height < *memory.head()
                                        : known_head() && *request.height + kLagMargin < *known_head();
    // A regular host may have forgotten the block.
    if (verdict.reason == "UNKNOWN_CHUNK")
        return memory.reaches(*request.height) || (is_there && host.kind() == HostKind::archival);
    return is_there && verdict.reason == kLacking;
}

const std::set<chain::ShardId>& Router::untracked_shards() {
    learn_untracked();
    return untracked_;
}

void Router::learn_untracked() {
    std::optional<std::set<chain::ShardId>> lacked_by_all;
    for (const auto& host : hosts_) {
        const auto shards = host->memory().untracked_shards(time_->now());
        std::set<chain::ShardId> both;
        for (const auto shard_id : shards)
            if (!lacked_by_all || lacked_by_all->contains(shard_id)) both.insert(shard_id);
        lacked_by_all = std::move(both);
    }
    if (!lacked_by_all || *lacked_by_all == untracked_) return;
    for (const auto shard_id : *lacked_by_all) {
        if (untracked_.contains(shard_id)) continue;
        log::error("no upstream tracks a shard: its chunks, outcomes and accounts cannot be had",
                   {{"shard_id", shard_id}});
    }
    for (const auto shard_id : untracked_) {
        if (lacked_by_all->contains(shard_id)) continue;
        log::info("the upstreams are asked about a shard again", {{"shard_id", shard_id}});
    }
    untracked_ = std::move(*lacked_by_all);
    for (const auto shard_id : untracked_) show_shard(shard_id);
    for (const auto& [shard_id, gauge] : shown_shards_) gauge->Set(untracked_.contains(shard_id) ? 1 : 0);
}

// Networks have fewer than kMostUntracked shards; a host that names more makes no more series.
void Router::show_shard(chain::ShardId shard_id) {
    if (series_ == nullptr || shown_shards_.contains(shard_id) || shown_shards_.size() >= kMostUntracked)
        return;
    shown_shards_[shard_id] = &series_->shard_untracked.Add({{"shard_id", std::to_string(shard_id)}});
}

// A host that may know was not asked, as it does not offer the method.
bool Router::lacks_method(const Call& call) const {
    for (std::size_t i = 0; i < hosts_.size(); ++i)
        if (concerns(call, i) && !offers(*hosts_[i], call.request.method)) return true;
    return false;
}

CallError Router::give_up(const Call& call, const Progress& progress) const {
    if (!progress.last) return never_asked(call);
    const Verdict* absent = nullptr;
    const Verdict* fault = nullptr;
    bool archive_spoke = false;
    unsigned deniers = 0;
    unsigned others = 0;  // that should know, and did not say
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        const auto& last = progress.hosts[i].last;
        if (!last && concerns(call, i) && offers(*hosts_[i], call.request.method)) ++others;
        if (!last || last->method_missing) continue;
        const bool conclusive = last->absent && !last->again;
        if (!conclusive)
            fault = &*last;
        else if (absent == nullptr || absent->reason == kLacking)  // any other reason says more
            absent = &*last;
        if (!conclusive) ++others;
        if (!conclusive || last->reason == kLacking || last->speaks_of_shard()) continue;
        ++deniers;
        if (hosts_[i]->kind() != HostKind::regular) archive_spoke = true;
    }
    CallError error;
    // A faulty host leaves a doubt, unless an archival one has spoken: it holds everything.
    error.absent = absent != nullptr && (fault == nullptr || archive_spoke) && !progress.finished;
    const auto& last = error.absent ? *absent : fault != nullptr ? *fault : *progress.last;
    error.error_class = progress.finished ? progress.last->error_class : last.error_class;
    error.reason = progress.finished ? progress.last->reason : last.reason;
    error.host = progress.finished_by;
    error.doubtful = error.absent && deniers < 2 && others > 0;
    error.denied_by_all = fault == nullptr && others == 0 && !progress.finished;
    error.denied_by_two = error.absent && deniers >= 2 && archive_spoke;
    if (progress.finished) {
        error.invalid_transaction_json = progress.last->invalid_transaction_json;
        error.looked_at = progress.last->looked_at;
    }
    error.method_missing = progress.method_missing || lacks_method(call);
    error.detail = call.object + ": " + progress.detail;
    return error;
}

// Nothing to choose from, or all of it blocked for longer than a call may take.
CallError Router::never_asked(const Call& call) const {
    CallError error;
    error.reason = "no_upstream";
    std::string states;
    bool offered = false;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        if (!concerns(call, i)) continue;
        const auto& host = hosts_[i];
        const bool offers = host->memory().supports(call.request.method, time_->now());
        offered = offered || offers;
        if (!offers) error.method_missing = true;
        if (!host->health().last_error.empty()) error.reason = host->health().last_error;
        states += states.empty() ? "" : "; ";
        if (!may_be_used(host->network()))
            states += host->name() + " " + host->network().detail;
        else
            states += host->name() + (offers ? " is given time to recover from " + host->health().last_error
                                             : " does not offer " + call.request.method);
    }
    error.denied_by_all = !hosts_.empty() && !offered;
    if (error.denied_by_all) error.reason = "METHOD_NOT_FOUND";
    if (error.reason == "rate_limited") error.error_class = ErrorClass::rate_limited;
    error.detail = call.object + ": not asked: " + (states.empty() ? "no upstream is configured" : states);
    return error;
}

std::optional<chain::BlockHeight> Router::known_head() const {
    std::optional<chain::BlockHeight> head;
    for (const auto& host : hosts_)
        if (host->memory().head()) head = std::max(head.value_or(0), *host->memory().head());
    return head;
}

std::vector<UpstreamState> Router::states() const {
    std::vector<UpstreamState> states;
    for (const auto& host : hosts_) states.push_back(host->state());
    return states;
}

}  // namespace receiptd::rpc
