// The lines of stream_events for all readers of /v1/stream: one poll of the database serves them all.
//
// The newest lines are kept in memory; every reader has its own place in them and takes what it can,
// so that no reader waits for another. One that asks for older lines reads them from the database in
// pages until it has caught up. A reader that needs a line which is no longer kept is disconnected; it
// comes back with its Last-Event-ID.
#pragma once

#include "api/database_calls.hpp"
#include "base/clock.hpp"
#include "base/event.hpp"
#include "metrics/api_series.hpp"
#include "storage/finding_store.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace receiptd::api {

struct StreamFilter {
    std::string kind;     // empty: any
    std::string tx_hash;  // empty: any
};

class EventHub {
public:
    struct Options {
        std::chrono::milliseconds poll{100};
        std::chrono::milliseconds heartbeat{15'000};
        std::size_t readers = 64;
        std::size_t kept_events = 4'096;
        std::size_t kept_bytes = 8u << 20;
        storage::StreamPage page;                   // of one question to the database
        std::size_t piece_bytes = 64u << 10;        // after which a piece is sent
        std::chrono::milliseconds patience{3'000};  // for the first place in the stream
    };
    EventHub(base::asio::any_io_executor executor, storage::FindingStore& store, const base::Clock& clock,
             metrics::ApiSeries& series, const Options& options);

    // Polls while there are readers. Ends when storage stops or it is cancelled.
    base::Task<void> run();

    class Reader;
    // A client that reads: its name, and its calls for lines that are not kept.
    struct Client {
        std::string name;  // empty: without limits of a client
        DatabaseCalls calls;
    };
    // Reads the lines behind the line `after`, else new lines only. nullptr: there are too many readers, or
    // the client has as many as are free. Throws NoAnswer if the database does not tell the newest line.
    static base::Task<std::shared_ptr<Reader>> read(EventHub& hub, Client client, StreamFilter filter,
                                                    std::optional<std::int64_t> after);

private:
    using Place = std::uint64_t;  // of a line; they go on by one in the order of the stream

    base::Task<bool> poll();  // false: nothing more for now
    void begin(std::int64_t last_event);
    void append(std::vector<storage::StreamEvent> events);
    void drop_oldest();
    void forget();
    // Behind the line of that id; nullopt: it is not kept.
    std::optional<Place> place_behind(std::int64_t id) const;
    Place first_place() const { return next_place_ - kept_.size(); }
    std::int64_t last_id() const { return kept_.empty() ? before_kept_.value_or(0) : kept_.back().id; }

    base::asio::any_io_executor executor_;
    storage::FindingStore& store_;
    const base::Clock& clock_;
    metrics::ApiSeries& series_;
    Options options_;
    base::Event changed_;  // lines came, or the stream is open
    base::Event wanted_;   // readers came
    std::size_t readers_ = 0;
    std::unordered_map<std::string, std::size_t> readers_of_;  // by client
    std::optional<std::int64_t> before_kept_;  // id of the line before the oldest kept; nullopt: not polling
    std::deque<storage::StreamEvent> kept_;
    std::size_t kept_bytes_ = 0;
    std::unordered_map<std::int64_t, Place> places_;
    Place next_place_ = 1;
};

// One reader's place in the stream; leaving it gives its seat away. Must not outlive the hub.
class EventHub::Reader {
public:
    Reader(EventHub& hub, Client client, StreamFilter filter);
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader();

    // The next lines as server-sent events, or a heartbeat; empty: the end, for a reader that is too slow
    // or cannot be told what it missed. It comes back with its Last-Event-ID.
    base::Task<std::string> next();

private:
    friend class EventHub;

    // Whether it has caught up with what is stored; nullopt: the database does not answer.
    base::Task<std::optional<bool>> catch_up(std::string& text);
    bool take_kept(std::string& text);  // false: fell behind
    void tell(const storage::StreamEvent& event, std::string& text);

    EventHub& hub_;
    Client client_;
    StreamFilter filter_;
    std::int64_t last_id_ = 0;    // of the last line passed, sent or filtered out
    std::optional<Place> place_;  // of the next line; nullopt: not among those kept
    base::SteadyTime silent_since_;
    bool greeted_ = false;
};

// One event as it goes over the wire.
std::string event_text(const storage::StreamEvent& event);

}  // namespace receiptd::api
