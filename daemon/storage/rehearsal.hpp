// Alert rules on stored history: what they would have told, without telling it.
#pragma once

#include "base/height_set.hpp"
#include "base/task.hpp"
#include "rule/lists.hpp"
#include "storage/database_options.hpp"
#include "storage/errors.hpp"
#include "storage/session.hpp"

#include <boost/asio/thread_pool.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

struct RulesOnHistory {
    std::vector<std::string> definitions;  // JSON that rule::parse() takes, and that of the default rule
    std::vector<rule::AccountList> lists;  // that they name
    base::HeightRange heights;
};

struct RehearsedAlert {
    std::string alert_id;
    std::string kind;
    std::string tx_hash;
    base::Height height = 0;
    std::vector<std::string> rules;  // that match
};

struct Rehearsed {
    std::map<std::string, std::uint64_t> subjects;  // by kind, matched or not
    std::vector<RehearsedAlert> alerts;             // oldest first
    std::vector<std::string> not_replayed;          // rules of which history does not tell, or not of all
};

// There are more alerts than Limits::alerts, or it took longer than Limits::time; the text is for people.
struct RehearsalTooLarge : StorageError {
    using StorageError::StorageError;
};

// Has a thread of its own, and a connection only while it rehearses: nothing else waits for it.
class Rehearsal {
public:
    struct Limits {
        std::size_t alerts = 1'000'000;
        // Nullopt: as long as it takes; a statement may take DatabaseOptions::statement_timeout. With it
        // question_timeout.
        std::optional<std::chrono::milliseconds> time;
    };

    Rehearsal(const DatabaseOptions& options, metrics::StorageSeries& series, Limits limits);
    // Ends what is under way, after its current statement, and waits for it.
    ~Rehearsal() { request_stop(); }
    void request_stop() { context_.stop.request(); }

    // Reads the blocks between the heights, both included, in one state of the database. One runs at a time;
    // others wait. Throws RehearsalTooLarge, StorageTimeout.
    base::Task<Rehearsed> rehearse(RulesOnHistory asked);

private:
    SessionContext context_;
    Limits limits_;
    base::asio::thread_pool thread_{1};  // destroyed first: joins
};

}  // namespace receiptd::storage
