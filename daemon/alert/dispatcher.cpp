#include "alert/dispatcher.hpp"

#include "alert/payload.hpp"
#include "base/log.hpp"
#include "base/sleep.hpp"
#include "metrics/registry.hpp"
#include "storage/errors.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::alert {

namespace {

using namespace std::chrono_literals;

// Between two looks at the queue when nobody wakes us: another process may have filled it.
constexpr std::chrono::milliseconds kShortestPause = 10ms;
constexpr std::chrono::milliseconds kLongestPause = 1s;
// A delivery that is due and cannot be claimed waits for others of its transaction, or another process has it
// in its hands: looks become rarer up to the longest pause.
constexpr unsigned kMostDoublings = 8;
constexpr auto kAfterFault = 5s;  // of the database
constexpr auto kReportEvery = 10s;
constexpr auto kTriesWithin = 5min;  // of a delivery that is due
constexpr auto kTendEvery = 1s;      // digests wait for minutes

double seconds(base::Duration duration) { return static_cast<double>(duration.count()) / 1e9; }

std::vector<storage::ServedEndpoint> served(const std::vector<config::Endpoint>& endpoints) {
    std::vector<storage::ServedEndpoint> served;
    for (const auto& endpoint : endpoints) served.push_back({endpoint.name, endpoint.rules});
    return served;
}

void left_to_its_lease(const std::exception& because) {
    log::warn("a delivery is left to its lease", {{"because", because.what()}});
}

}  // namespace

// The place of one attempt among those of its endpoint; the destructor gives it back.
struct Dispatcher::Seat {
    explicit Seat(std::shared_ptr<Endpoint> of) : endpoint(std::move(of)) {}
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;
    ~Seat() { --endpoint->in_flight; }
    std::shared_ptr<Endpoint> endpoint;
};

Dispatcher::Dispatcher(base::asio::any_io_executor executor, base::asio::thread_pool& cpu,
                       const std::vector<config::Endpoint>& endpoints, storage::DeliveryStore& store,
                       Sender& sender, metrics::AlertSeries& series, const base::Clock& clock, Chance chance,
                       Site site)
    : executor_(executor),
      cpu_(cpu),
      store_(store),
      sender_(sender),
      plain_(series.plain),
      clock_(clock),
      chance_(std::move(chance)),
      site_(std::move(site)),
      serves_(served(endpoints)),
      pause_(executor) {
    for (const auto& endpoint : endpoints) {
        const metrics::EndpointSeries its(series, endpoint.name);
        endpoints_.emplace(endpoint.name, std::make_shared<Endpoint>(its, endpoint));
        lease_ =
            std::max(lease_, std::chrono::ceil<std::chrono::seconds>(longest_attempt(endpoint)) + kToRecord);
    }
}

base::Task<void> Dispatcher::serve(storage::Serving serving) {
    auto endpoints = serves_;
    auto off = co_await store_.serve_endpoints(std::move(endpoints), serving);
    for (const auto& name : off)
        if (std::find(switched_off_.begin(), switched_off_.end(), name) == switched_off_.end())
            log::error("an endpoint is switched off: a restart or `receiptd endpoints enable` switches it on",
                       {{"endpoint", name}});
    switched_off_ = std::move(off);
    for (auto& [name, endpoint] : endpoints_) {
        const bool is_off =
            std::find(switched_off_.begin(), switched_off_.end(), name) != switched_off_.end();
        endpoint->series.switched_off.Set(is_off ? 1 : 0);
    }
}

base::Task<void> Dispatcher::reload(const std::vector<config::Endpoint>& endpoints) {
    for (const auto& endpoint : endpoints) {
        for (auto& served : serves_)
            if (endpoint.name == served.name) served.rules = endpoint.rules;
        if (const auto known = endpoints_.find(endpoint.name); known != endpoints_.end())
            known->second->take(endpoint);
    }
    return serve(storage::Serving::changes);
}

base::Task<void> Dispatcher::run() {
    if (endpoints_.empty()) co_return;
    base::TaskGroup under_way(executor_);
    progressed_at_ = clock_.steady();
    for (auto& [name, endpoint] : endpoints_) endpoint->held_back_at = progressed_at_;
    running_ = true;
    while (!stopping_) {
        woken_ = false;
        const auto claimed = co_await claim(under_way);
        if (claimed) progressed_at_ = clock_.steady();
        if (!claimed)
            co_await base::sleep_on(pause_, kAfterFault);
        else if (*claimed == 0)
            co_await pause();
    }
    running_ = false;
    co_await under_way.join();
}

void Dispatcher::wake() {
    woken_ = true;
    blocked_looks_ = 0;
    pause_.cancel();
}

void Dispatcher::stop() {
    stopping_ = true;
    wake();
}

unsigned Dispatcher::Endpoint::room(base::SteadyTime now) const {
    if (paused_until > now) return 0;
    if (circuit.is_open()) return circuit.may_probe(now) ? 1 : 0;
    return kAttemptsAtOnce - in_flight;
}

std::vector<storage::EndpointRoom> Dispatcher::rooms() const {
    std::vector<storage::EndpointRoom> rooms;
    for (const auto& [name, endpoint] : endpoints_)
        if (const auto room = endpoint->room(clock_.steady()); room > 0)
            rooms.push_back({name, room, endpoint->ordered, endpoint->circuit.is_open(), endpoint->storm});
    return rooms;
}

base::Task<std::optional<std::size_t>> Dispatcher::claim(base::TaskGroup& under_way) {
    storage::Claimed claimed;
    const auto claimed_at = clock_.steady();
    try {
        co_await tend_storms();
        auto free = rooms();
        if (!free.empty()) claimed = co_await store_.claim_deliveries(std::move(free), lease_);
        co_await give_bodies(claimed.due);
    } catch (const storage::StorageError& e) {
        // The claimed deliveries come back when their lease ends.
        log::warn("the queue of alerts cannot be processed", {{"because", e.what()}});
        co_return std::nullopt;
    }
    const auto found = claimed.due.size() + claimed.not_sent.size();
    keep(claimed);
    for (auto& delivery : claimed.due) {
        auto& endpoint = *endpoints_.at(delivery.endpoint);
        endpoint.more_due = ++endpoint.in_flight == kAttemptsAtOnce || endpoint.ordered;
        const auto which = endpoint.circuit.may_probe(clock_.steady()) ? Try::probe : Try::attempt;
        if (which == Try::probe) endpoint.circuit.probe_begins();
        under_way.spawn(deliver(std::move(delivery), {which, claimed_at}));
    }
    co_return found;
}

base::Task<void> Dispatcher::tend_storms() {
    if (clock_.steady() < tend_at_) co_return;
    std::vector<storage::EndpointStorm> storms;
    for (const auto& [name, endpoint] : endpoints_) storms.push_back({name, endpoint->storm});
    co_await store_.tend_storms(std::move(storms));
    tend_at_ = clock_.steady() + kTendEvery;
}

void Dispatcher::keep(const storage::Claimed& claimed) {
    for (const auto& [name, state, count] : claimed.not_sent)
        endpoints_.at(name)->series.not_sent.at(state)->Increment(count);
    for (const auto& [name, time] : claimed.pauses) {
        auto& until = endpoints_.at(name)->paused_until;
        until = std::max(until, clock_.steady() + time);
    }
}

base::Task<void> Dispatcher::pause() {
    std::vector<std::string> names;
    for (auto& room : rooms()) names.push_back(std::move(room.endpoint));
    std::optional<std::chrono::milliseconds> next;
    try {
        if (!names.empty()) next = co_await store_.next_delivery_in(std::move(names));
    } catch (const storage::StorageError&) {
        // The next claim will say so.
    }
    if (woken_) co_return;
    const auto wait = next.value_or(kLongestPause);
    blocked_looks_ = wait > 0ms ? 0 : std::min(blocked_looks_ + 1, kMostDoublings);
    const auto shortest = blocked_looks_ == 0 ? kShortestPause : kShortestPause * (1 << (blocked_looks_ - 1));
    co_await base::sleep_on(pause_, std::clamp(wait, std::min(shortest, kLongestPause), kLongestPause));
}

base::Task<void> Dispatcher::deliver(storage::DueDelivery delivery, Tried claimed) {
    const auto which = claimed.as;
    const auto endpoint = endpoints_.at(delivery.endpoint);
    try {
        const Seat seat(endpoint);
        co_await attempt(std::move(delivery), *endpoint, claimed);
    } catch (const boost::system::system_error& e) {
        if (e.code() == base::asio::error::operation_aborted) throw;
        left_to_its_lease(e);
    } catch (const storage::StorageStopped&) {
        // So is this one.
    } catch (const std::exception& e) {
        left_to_its_lease(e);
    }
    if (which == Try::probe) endpoint->circuit.probe_ends(clock_.steady());
    const bool is_closed_now = which == Try::probe && !endpoint->circuit.is_open();
    if (std::exchange(endpoint->more_due, false) || is_closed_now) wake();
}

base::Task<void> Dispatcher::attempt(storage::DueDelivery delivery, Endpoint& endpoint,
                                     const Tried& claimed) {
    // It could end after its lease, behind what another process has sent since: the end of the group.
    if (!delivery.group_name.empty() && clock_.steady() - claimed.began > kToRecord)
        throw std::runtime_error("it was claimed too long ago to be sent");
    Message message;
    message.endpoint = delivery.endpoint;
    message.id = delivery.alert_id;
    message.body = for_endpoint(std::move(delivery.payload), delivery);
    if (delivery.attempts == 0 && !delivery.tried)
        endpoint.series.first_attempt_seconds.Observe(seconds(clock_.wall() - delivery.may_leave_at));
    const auto began = clock_.steady();
    const auto answer = co_await sender_.post(std::move(message));
    endpoint.series.seconds.Observe(seconds(clock_.steady() - began));
    auto outcome = outcome_of(delivery, answer, endpoint, {claimed.as, began});
    note(delivery, outcome, endpoint);
    co_await store_.record_delivery(std::move(outcome));
}

storage::DeliveryOutcome Dispatcher::outcome_of(const storage::DueDelivery& delivery, const Answer& answer,
                                                Endpoint& endpoint, const Tried& tried) {
    auto outcome = after_attempt(delivery, answer, endpoint.waits, chance_());
    auto& circuit = endpoint.circuit;
    const bool was_open = circuit.is_open();
    const bool failed = answer.is_out_of_order();
    hold_back(endpoint, answer, outcome);
    const bool is_probe = tried.as == Try::probe;
    if (is_probe)
        circuit.probed(failed, clock_.steady());
    else
        circuit.tried(delivery.alert_id, failed, tried.began, clock_.steady());
    if (is_probe && failed) {
        outcome.dead = outcome.counts = false;
        outcome.again_in = 0ms;  // it waits for the circuit alone, behind what has been due for longer
    }
    endpoint.series.circuit_open.Set(circuit.is_open() ? 1 : 0);
    if (circuit.is_open() && !was_open)
        log::warn("endpoint is out of order: one delivery at a time is tried until it takes one",
                  {{"endpoint", delivery.endpoint}, {"because", outcome.error}});
    return outcome;
}

// An endpoint that is overloaded gets nothing else meanwhile.
void Dispatcher::hold_back(Endpoint& endpoint, const Answer& answer,
                           const storage::DeliveryOutcome& outcome) const {
    const bool slow_down = answer.status == 429 || answer.status == 503;
    if (!slow_down || !answer.retry_after) return;
    const auto wait = std::min<base::Duration>(*answer.retry_after, outcome.again_in.value_or(0ms));
    endpoint.paused_until = std::max(endpoint.paused_until, clock_.steady() + wait);
}

void Dispatcher::note(const storage::DueDelivery& delivery, const storage::DeliveryOutcome& outcome,
                      Endpoint& endpoint) {
    auto& series = endpoint.series;
    (outcome.delivered ? series.delivered : outcome.dead ? series.died : series.failed).Increment();
    const bool was_failing = std::exchange(endpoint.failing, !outcome.delivered);
    if (outcome.delivered) {
        if (was_failing) log::info("endpoint takes alerts again", {{"endpoint", delivery.endpoint}});
        return;
    }
    if (outcome.endpoint_gone)
        log::error(
            "endpoint switched off: it answered 410; a restart or `receiptd endpoints enable` switches it on",
            {{"endpoint", delivery.endpoint}});
    if (outcome.dead)
        log::error(
            "alert given up",
            {{"endpoint", delivery.endpoint}, {"alert_id", delivery.alert_id}, {"because", outcome.error}});
    else
        log::write(was_failing ? log::Level::debug : log::Level::warn,
                   "alert not delivered, tried again later",
                   {{"endpoint", delivery.endpoint},
                    {"alert_id", delivery.alert_id},
                    {"attempts", delivery.attempts + 1},
                    {"because", outcome.error}});
}

base::Task<void> Dispatcher::report() {
    base::asio::steady_timer timer(executor_);
    while (!stopping_ && !endpoints_.empty()) {
        try {
            co_await serve(storage::Serving::goes_on);
            show(co_await store_.delivery_backlog());
        } catch (const storage::StorageError& e) {
            log::warn("endpoints cannot be kept served, nor their backlog counted", {{"because", e.what()}});
        }
        co_await base::sleep_on(timer, kReportEvery);
    }
}

// It could have been sent all that has been due for so long.
bool Dispatcher::is_free(const std::string& name, Endpoint& endpoint) const {
    const auto now = clock_.steady();
    const bool is_off = std::find(switched_off_.begin(), switched_off_.end(), name) != switched_off_.end();
    if (is_off || endpoint.circuit.is_open() || endpoint.paused_until > now) endpoint.held_back_at = now;
    return now - endpoint.held_back_at >= kTriesWithin;
}

void Dispatcher::show(const std::vector<storage::DeliveryBacklog>& backlog) {
    std::map<std::string, storage::DeliveryBacklog> by_endpoint;
    outbox_ = Outbox{};
    for (const auto& each : backlog) by_endpoint[each.endpoint] = each;
    for (auto& [name, endpoint] : endpoints_) {
        const auto& of = by_endpoint[name];
        endpoint->series.pending.Set(static_cast<double>(of.pending));
        endpoint->series.dead.Set(static_cast<double>(of.dead));
        endpoint->series.oldest_pending_seconds.Set(seconds(of.oldest_pending));
        endpoint->series.oldest_cause_seconds.Set(seconds(of.oldest_cause));
        const auto not_tried = is_free(name, *endpoint) ? of.not_tried : 0;
        endpoint->series.not_tried.Set(static_cast<double>(not_tried));
        if (not_tried > 0) outbox_->not_tried[name] = not_tried;
        outbox_->pending += of.pending;
        outbox_->dead += of.dead;
        outbox_->oldest_pending = std::max(outbox_->oldest_pending, of.oldest_pending);
    }
}

}  // namespace receiptd::alert
