#include "rpc/upstream.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "metrics/registry.hpp"
#include "net/fields.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::rpc {
namespace {

prometheus::Counter& series_of(metrics::HeaderHashSeries& series, chain::HeaderHash hash) {
    switch (hash) {
        case chain::HeaderHash::equal: return series.equal;
        case chain::HeaderHash::different: return series.different;
        case chain::HeaderHash::unknown_form: break;
    }
    return series.unknown_form;
}

}  // namespace

const char* to_string(HostKind kind) {
    switch (kind) {
        case HostKind::regular: return "regular";
        case HostKind::archival: return "archival";
        case HostKind::neardata: return "neardata";
    }
    return "regular";
}

Upstream::Upstream(base::asio::any_io_executor executor, std::shared_ptr<TimeAndChance> time,
                   std::shared_ptr<Transport> transport, UpstreamOptions options, metrics::RpcSeries* series)
    : executor_(executor),
      time_(std::move(time)),
      transport_(std::move(transport)),
      options_(std::move(options)),
      spending_(time_->now()),
      gate_(std::make_shared<Gate>(executor, time_, options_.limits)),
      turns_(std::make_shared<Turns>(std::move(executor))) {
    if (series != nullptr) series_.emplace(*series, options_.name);
    learn_secrets();
    show();
}

base::Task<std::optional<Exchange>> Upstream::ask(const Request& request, const Read& read,
                                                  std::optional<chain::BlockHeight> known_head, bool first) {
    std::shared_ptr<Turns::Turn> turn;
    if (request.takes_turns) turn = co_await Turns::take(turns_, request.priority);
    gate_->set_probing(circuit(health_, time_->now()) != Circuit::closed);
    const auto came = time_->now();
    // A request that has its turn keeps others from theirs.
    const auto urgency = turn ? Priority::head : request.priority;
    auto slot = co_await gate_->enter(urgency);
    if (!slot) co_return std::nullopt;
    spends(request.priority, time_->now() - came);
    show();
    auto http = http_request(request);
    const auto started = time_->now();
    auto timeout = options_.request_timeout;
    if (first && request.first_timeout) timeout = std::min(timeout, *request.first_timeout);
    // The host has done its part where the answer is surely a result; any other one may block it.
    std::optional<base::Duration> came_after;
    http.on_large = [&] {
        came_after = time_->now() - started;
        slot.reset();
    };
    auto reply = co_await transport_->send(std::move(http), timeout);
    const auto took = came_after.value_or(time_->now() - started);
    measure(took, reply ? reply->wire_bytes : 0);
    if (reply) note_time(*reply);
    if (reply && reply->status == 200 && reply->body.size() > kLargestError) slot.reset();
    auto exchange = co_await judge(request, read, std::move(reply), known_head);
    exchange.took = took;
    if (turn) turn->over(exchange.verdict);
    // A host that does not track all shards makes no whole blocks.
    if (turn && exchange.verdict.reason == kLacking) exchange.verdict.method_missing = true;
    remember(request, exchange.verdict);
    complain(request, exchange.verdict);
    if (series_) series_->request(request.method, to_string(exchange.verdict.error_class)).Increment();
    show();
    co_return std::optional<Exchange>(std::move(exchange));
}

void Upstream::spends(Priority purpose, base::Duration waited) {
    spending_.note(purpose, time_->now());
    if (series_)
        series_->wait_seconds(to_string(purpose)).Observe(std::chrono::duration<double>(waited).count());
}

net::HttpRequest Upstream::http_request(const Request& request) const {
    net::HttpRequest http;
    http.method = request.http_method;
    http.target = options_.url.target;
    http.max_response_bytes = request.max_answer_bytes;
    http.room = request.room;
    if (!request.path.empty()) {
        // The upstream's own query, if any, stays behind the path.
        const auto query = std::min(http.target.find('?'), http.target.size());
        auto prefix = http.target.substr(0, query);
        while (!prefix.empty() && prefix.back() == '/') prefix.pop_back();
        http.target = prefix + request.path + http.target.substr(query);
    }
    if (!request.body.empty()) {
        http.headers.push_back({"Content-Type", "application/json"});
        http.body = request.body;
    }
    options_.credential.apply(http);
    return http;
}

base::Task<Exchange> Upstream::judge(const Request& request, const Read& read, Transport::Reply reply,
                                     std::optional<chain::BlockHeight> known_head) {
    Exchange exchange;
    if (reply) {
        exchange.status = reply->status;
        Received received{std::move(*reply), options_.name, request.method,     request.height,
                          known_head,        time_->wall(), request.classifier, request.has_envelope};
        if (read)
            exchange.verdict = co_await read(std::move(received));
        else
            exchange.verdict = rpc::judge(received);
    } else {
        const auto error = reply.error();  // by value: the view must outlive the verdict
        HttpObservation seen;
        seen.method = request.method;
        seen.now = time_->wall();
        seen.fault = error.fault;
        seen.fault_text = error.text;
        exchange.verdict = request.classifier(seen);
    }
    auto& verdict = exchange.verdict;
    verdict.text = secrets_.scrub_cut(std::move(verdict.text));
    verdict.reason = secrets_.scrub(std::move(verdict.reason));
    verdict.invalid_transaction_json = secrets_.scrub(std::move(verdict.invalid_transaction_json));
    co_return exchange;
}

void Upstream::remember(const Request& request, const Verdict& verdict) {
    if (request.takes_turns && verdict.reason == kBusy) return;
    const auto now = time_->now();
    const auto refusals_before = health_.refusals_in_a_row;
    const auto blocked_before = health_.not_before;
    const bool was_unpaid = health_.is_unpaid();
    health_ = next(std::move(health_), verdict, now, time_->chance());
    if (health_.refusals_in_a_row > 0 && refusals_before == 0)
        log::error("upstream refuses our requests: it is put aside, then tried again",
                   {{"upstream", options_.name},
                    {"origin", options_.url.origin()},
                    {"reason", verdict.reason},
                    {"said", verdict.text}});
    if (health_.refusals_in_a_row == 0 && refusals_before > 0)
        log::info("upstream takes our requests again", {{"upstream", options_.name}});
    if (health_.is_unpaid() && !was_unpaid)
        log::error("upstream wants to be paid: the credits of its plan are used up",
                   {{"upstream", options_.name},
                    {"origin", options_.url.origin()},
                    {"reason", verdict.reason},
                    {"said", verdict.text}});
    if (health_.not_before > blocked_before) gate_->block_until(health_.not_before);
    const bool is_put_aside = circuit(health_, now) != Circuit::closed;
    gate_->set_probing(is_put_aside);
    if (is_put_aside) set_network(after_absence(network_, now));
    if (verdict.method_missing && memory_.supports(request.method, now)) {
        memory_.mark_unsupported(request.method, now);
        log::warn("upstream does not offer a method",
                  {{"upstream", options_.name}, {"method", request.method}});
    }
    if (request.height && verdict.reason == "GARBAGE_COLLECTED_BLOCK") memory_.collected(*request.height);
}

void Upstream::complain(const Request& request, const Verdict& verdict) {
    if (verdict.wrong_contents)
        log::warn("upstream answered with contents that cannot be right",
                  {{"upstream", options_.name}, {"method", request.method}, {"why", verdict.text}});
    if (verdict.reason == kReadableInPart && !std::exchange(told_in_part_, true))
        log::warn("upstream answered with a part that cannot be read; others are asked for it: said once",
                  {{"upstream", options_.name}, {"method", request.method}, {"why", verdict.text}});
}

void Upstream::doubt() {
    if (!doubted())
        log::warn("upstream told a block or a head that is not of this chain: for now others are asked first",
                  {{"upstream", options_.name}, {"origin", options_.url.origin()}});
    memory_.doubt(time_->now(), time_->chance());
    show();
}

void Upstream::showed(const chain::BlockHeader& header) {
    if (series_) series_of(series_->header_hashes, header.hash_is).Increment();
    if (header.hash_is != chain::HeaderHash::different || showed_another_hash_) return;
    showed_another_hash_ = true;
    log::warn("upstream shows a block whose hash does not follow from its header: said once",
              {{"upstream", options_.name},
               {"origin", options_.url.origin()},
               {"block_height", header.height},
               {"block_hash", std::string(header.hash)}});
}

void Upstream::saw_block(chain::BlockHeight height) {
    if (doubted()) return;
    memory_.holds(height);
    show();
}

void Upstream::lacks(chain::BlockHeight height, std::optional<chain::BlockHeight> known_head) {
    const auto before = memory_.horizon();
    memory_.lacks(height, known_head);
    if (memory_.horizon() != before && memory_.below_horizon(height))
        log::debug("learned a host's horizon", {{"upstream", options_.name}, {"lacks", height}});
    show();
}

void Upstream::reaches_back_to(chain::BlockHeight earliest) {
    if (kind() != HostKind::regular) return;
    memory_.reaches_back_to(earliest);
    show();
}

void Upstream::tracks(chain::ShardId shard_id) {
    memory_.tracks(shard_id);
    show();
}

void Upstream::lacks_shard(chain::ShardId shard_id, std::optional<chain::BlockHeight> height) {
    const auto now = time_->now();
    if (height ? memory_.misses(shard_id, *height, now) : memory_.denies(shard_id, now))
        log::warn("upstream does not track a shard: others are asked about it",
                  {{"upstream", options_.name}, {"shard_id", shard_id}});
    show();
}

void Upstream::set_network(NetworkProof proof) {
    proof.detail = secrets_.scrub(std::move(proof.detail));
    const auto before = std::exchange(network_, std::move(proof));
    for (auto* timer : waiting_for_proof_) timer->cancel();
    const bool said = network_.state == before.state && network_.detail == before.detail;
    const log::Field name{"upstream", options_.name};
    if (network_.state == NetworkState::other_network) {
        memory_ = HostMemory();
        if (!said)
            log::error("upstream is of another network: it is put aside",
                       {name, {"origin", options_.url.origin()}, {"why", network_.detail}});
    } else if (before.untold == 0 && network_.untold > 0 && network_.state == NetworkState::unproven) {
        log::warn("upstream is not used until it proves its network; it is asked again",
                  {name, {"origin", options_.url.origin()}, {"why", network_.detail}});
    } else if (!said && network_.state == NetworkState::on_trust) {
        log::warn("upstream is used without a proof of its network", {name, {"why", network_.detail}});
    } else if (before.state == NetworkState::other_network && may_be_used(network_)) {
        log::info("upstream is of our network now", {name});
    }
    show();
}

base::Task<void> Upstream::wait_for_proof(base::Duration longest) {
    base::asio::steady_timer timer(executor_);
    struct Waiting {
        std::set<base::asio::steady_timer*>& all;
        base::asio::steady_timer* timer;
        ~Waiting() { all.erase(timer); }
    };
    waiting_for_proof_.insert(&timer);
    const Waiting waiting{waiting_for_proof_, &timer};
    co_await time_->sleep(timer, longest);
}

base::Duration Upstream::wait() const {
    return std::max(health_.not_before - time_->now(), base::Duration::zero());
}

void Upstream::note_time(const net::HttpResponse& reply) {
    if (!reply.header("Age").empty()) return;  // a cache has it from earlier
    const auto date = net::parse_http_date(reply.header("Date"));
    if (date) clock_ahead_ = std::chrono::floor<std::chrono::seconds>(time_->wall()) - *date;
}

void Upstream::measure(base::Duration took, std::uint64_t bytes) {
    if (series_) {
        series_->seconds.Observe(std::chrono::duration<double>(took).count());
        series_->received_bytes.Increment(static_cast<double>(bytes));
    }
}

void Upstream::show() const {
    if (!series_) return;
    const auto now = state();
    series_->health.Set(now.health);
    series_->refused.Set(now.refused ? 1 : 0);
    series_->unpaid.Set(now.is_unpaid ? 1 : 0);
    series_->other_network.Set(network_.state == NetworkState::other_network ? 1 : 0);
    series_->budget_tokens.Set(now.budget_available);
    series_->budget_limit.Set(now.budget_limit);
    series_->in_flight.Set(now.in_flight);
    series_->untracked_shards.Set(static_cast<double>(now.untracked_shards.size()));
    if (now.head) series_->head_height.Set(static_cast<double>(*now.head));
    if (now.horizon) series_->horizon_height.Set(static_cast<double>(*now.horizon));
}

UpstreamState Upstream::state() const {
    UpstreamState state;
    state.name = options_.name;
    state.kind = to_string(options_.kind);
    state.origin = options_.url.origin();
    state.refused = health_.refusals_in_a_row > 0;
    state.network = to_string(network_.state);
    state.network_detail = network_.detail;
    // One that is being asked anew is as good as ever.
    state.is_usable = !state.refused && (may_be_used(network_) || is_being_asked(network_));
    state.health = state.is_usable ? health_.score : 0.0;
    state.is_unpaid = health_.is_unpaid();
    state.last_error = health_.last_error;
    state.doubted = doubted();
    state.horizon = memory_.horizon();
    state.said_earliest = memory_.said_earliest();
    state.head = memory_.head();
    state.untracked_shards = memory_.untracked_shards(time_->now());
    state.missing_methods = memory_.unsupported(time_->now());
    const auto now = time_->now();
    state.budget_available = gate_->available();
    state.budget_limit = gate_->per_second();
    for (const auto& [purpose, requests] : spending_.last_day(now))
        state.requests[to_string(purpose)] = requests;
    state.requests_since = spending_.span(now);
    state.requests_a_day = spending_.a_day(now);
    state.in_flight = gate_->in_flight();
    state.clock_ahead = clock_ahead_;
    return state;
}

void Upstream::set_credential(Credential credential) {
    options_.credential = std::move(credential);
    learn_secrets();
    start_afresh();
}

// Providers put keys into paths, too.
void Upstream::learn_secrets() {
    secrets_ = {};
    secrets_.add(options_.credential.key.reveal());
    for (const auto& part : net::parts_that_may_be_secret(options_.url.target)) secrets_.add(part);
}

void Upstream::start_afresh() {
    health_ = Health{};
    memory_.forget_unsupported();
    network_.ask_at = time_->now();
    gate_->unblock();
    show();
}

void Upstream::set_limits(Admission::Limits limits) {
    options_.limits = limits;
    gate_->set_limits(limits);
    show();
}

}  // namespace receiptd::rpc
