#include "api/event_hub.hpp"

#include "base/log.hpp"
#include "base/sleep.hpp"
#include "metrics/registry.hpp"
#include "storage/errors.hpp"

#include <utility>

namespace receiptd::api {

namespace {

constexpr std::chrono::seconds kAfterFailure{5};
constexpr const char* kGreeting = "retry: 2000\n\n";  // milliseconds until a client comes back

std::size_t size_of(const storage::StreamEvent& event) {
    return sizeof event + event.kind.size() + event.tx_hash.size() + event.at.size() + event.body_json.size();
}

}  // namespace

std::string event_text(const storage::StreamEvent& event) {
    std::string text = "id: " + std::to_string(event.id) + "\nevent: " + event.kind + "\ndata: ";
    for (const char c : event.body_json) {
        if (c == '\r') continue;
        text += c;
        if (c == '\n') text += "data: ";
    }
    return text + "\n\n";
}

EventHub::EventHub(base::asio::any_io_executor executor, storage::FindingStore& store,
                   const base::Clock& clock, metrics::ApiSeries& series, const Options& options)
    : executor_(executor),
      store_(store),
      clock_(clock),
      series_(series),
      options_(options),
      changed_(executor),
      wanted_(executor) {}

base::Task<void> EventHub::run() {
    base::asio::steady_timer timer(executor_);
    while (true) {
        if (readers_ == 0) {
            forget();
            co_await wanted_.wait();
            continue;
        }
        auto pause = std::chrono::milliseconds(0);
        try {
            const bool more = co_await poll();
            if (!more) pause = options_.poll;
        } catch (const storage::StorageStopped&) {
            co_return;
        } catch (const storage::StorageError& error) {
            log::error("the events of the stream cannot be read", {{"because", error.what()}});
            pause = kAfterFailure;
        }
        if (pause.count() > 0) co_await base::sleep_on(timer, pause);
    }
}

base::Task<bool> EventHub::poll() {
    if (!before_kept_) {
        begin(co_await store_.last_stream_event());
        co_return false;
    }
    auto events = co_await store_.stream_events(last_id(), options_.page);
    std::size_t bytes = 0;
    for (const auto& event : events) bytes += event.body_json.size();
    const bool more = events.size() == options_.page.lines || bytes >= options_.page.bytes;
    append(std::move(events));
    co_return more;
}

void EventHub::begin(std::int64_t last_event) {
    before_kept_ = last_event;
    changed_.notify_all();
}

void EventHub::append(std::vector<storage::StreamEvent> events) {
    if (events.empty()) return;
    for (auto& event : events) {
        kept_bytes_ += size_of(event);
        places_[event.id] = next_place_++;
        kept_.push_back(std::move(event));
        while (kept_.size() > options_.kept_events || kept_bytes_ > options_.kept_bytes) drop_oldest();
    }
    changed_.notify_all();
}

void EventHub::drop_oldest() {
    kept_bytes_ -= size_of(kept_.front());
    places_.erase(kept_.front().id);
    before_kept_ = kept_.front().id;
    kept_.pop_front();
}

void EventHub::forget() {
    kept_.clear();
    kept_bytes_ = 0;
    places_.clear();
    before_kept_.reset();
}

std::optional<EventHub::Place> EventHub::place_behind(std::int64_t id) const {
    if (before_kept_ == id) return first_place();
    const auto found = places_.find(id);
    if (found == places_.end()) return std::nullopt;
    return found->second + 1;
}

base::Task<std::shared_ptr<EventHub::Reader>> EventHub::read(EventHub& hub, Client client,
                                                             StreamFilter filter,
                                                             std::optional<std::int64_t> after) {
    const auto free = hub.options_.readers - std::min(hub.readers_, hub.options_.readers);
    const auto its = hub.readers_of_.find(client.name);
    if (free == 0 || (!client.name.empty() && its != hub.readers_of_.end() && its->second >= free))
        co_return nullptr;
    auto reader = std::make_shared<Reader>(hub, std::move(client), std::move(filter));
    if (!after && !hub.before_kept_)
        co_await base::wait_for(hub.changed_, hub.executor_, hub.options_.patience);
    if (!after && !hub.before_kept_) throw NoAnswer("the database does not answer");
    reader->last_id_ = after ? *after : hub.last_id();
    co_return reader;
}

EventHub::Reader::Reader(EventHub& hub, Client client, StreamFilter filter)
    : hub_(hub), client_(std::move(client)), filter_(std::move(filter)), silent_since_(hub.clock_.steady()) {
    ++hub_.readers_;
    ++hub_.readers_of_[client_.name];
    hub_.series_.stream_readers.Increment();
    hub_.wanted_.notify_all();
}

EventHub::Reader::~Reader() {
    --hub_.readers_;
    if (const auto its = hub_.readers_of_.find(client_.name); --its->second == 0) hub_.readers_of_.erase(its);
    hub_.series_.stream_readers.Decrement();
}

base::Task<std::string> EventHub::Reader::next() {
    std::string text;
    if (!std::exchange(greeted_, true)) co_return kGreeting;
    while (true) {
        if (!place_) place_ = hub_.place_behind(last_id_);
        bool wait = true;
        if (!place_) {
            const auto caught_up = co_await catch_up(text);
            if (!caught_up) co_return std::string();
            // Nobody tells again what became known while the database was asked.
            wait = *caught_up && !hub_.place_behind(last_id_);
        } else if (!take_kept(text)) {
            hub_.series_.stream_cut_off.Increment();
            co_return std::string();
        }
        const auto silent_for = hub_.clock_.steady() - silent_since_;
        // An id without data moves the client's Last-Event-ID on and is no event to it.
        if (text.empty() && silent_for >= hub_.options_.heartbeat)
            text = ": heartbeat\nid: " + std::to_string(last_id_) + "\n\n";
        if (!text.empty()) {
            silent_since_ = hub_.clock_.steady();
            co_return text;
        }
        if (wait)
            co_await base::wait_for(hub_.changed_, hub_.executor_, hub_.options_.heartbeat - silent_for);
    }
}

base::Task<std::optional<bool>> EventHub::Reader::catch_up(std::string& text) {
    std::vector<storage::StreamEvent> events;
    try {
        const storage::StreamPage page{hub_.options_.page.lines, hub_.options_.piece_bytes};
        auto asking = hub_.store_.stream_events(last_id_, page);
        events = co_await client_.calls.wait_for(std::move(asking));
    } catch (const NoAnswer&) {
        co_return std::nullopt;
    } catch (const storage::StorageStopped&) {
        co_return std::nullopt;
    }
    for (const auto& event : events) {
        tell(event, text);
        last_id_ = event.id;
    }
    co_return events.empty();
}

bool EventHub::Reader::take_kept(std::string& text) {
    if (*place_ < hub_.first_place()) return false;
    while (*place_ < hub_.next_place_ && text.size() < hub_.options_.piece_bytes) {
        const auto& event = hub_.kept_[*place_ - hub_.first_place()];
        tell(event, text);
        last_id_ = event.id;
        ++*place_;
    }
    return true;
}

void EventHub::Reader::tell(const storage::StreamEvent& event, std::string& text) {
    if (!filter_.kind.empty() && event.kind != filter_.kind) return;
    if (!filter_.tx_hash.empty() && event.tx_hash != filter_.tx_hash) return;
    text += event_text(event);
}

}  // namespace receiptd::api
