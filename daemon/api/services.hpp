// Services that the routes use.
#pragma once

#include "api/database_calls.hpp"
#include "api/event_hub.hpp"
#include "api/host_questions.hpp"
#include "api/router.hpp"
#include "api/status.hpp"
#include "base/clock.hpp"
#include "base/secret.hpp"
#include "metrics/api_series.hpp"
#include "storage/alert_rule_store.hpp"
#include "storage/delivery_access.hpp"
#include "storage/endpoint_store.hpp"
#include "storage/finding_store.hpp"
#include "storage/history_store.hpp"
#include "storage/rehearsal.hpp"
#include "storage/silence_store.hpp"
#include "storage/watch_store.hpp"
#include "watch/submission.hpp"
#include "watch/transaction_json.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::api {

// An endpoint's answer to a message.
struct EndpointAnswer {
    bool accepted = false;
    int status = 0;     // of HTTP; 0: no answer
    std::string error;  // without an answer: why
    std::string body;   // its beginning, as it came
    double seconds = 0;
};

// A fault of rules that somebody drafts. `line` and `column` count from 1; 0: it has no place.
struct DraftFault {
    bool is_warning = false;
    unsigned line = 0;
    unsigned column = 0;
    std::string message;
};
struct CheckedDraft {
    bool is_good = false;            // it has warnings at most
    std::vector<std::string> rules;  // names
    std::vector<DraftFault> faults;  // in the draft's order
};

// All of it outlives the API; functions are called on its executor.
struct Services {
    std::function<DaemonStatus()> status;
    std::function<std::string()> metrics;  // Prometheus text
    std::function<Guard()> guard;
    storage::WatchAccess& watches;
    storage::FindingStore& findings;
    storage::HistoryStore& history;
    storage::DeliveryAccess& deliveries;
    storage::AlertRuleStore& alert_rules;
    storage::EndpointStore& endpoints;
    // Sends a test message; nullopt: this daemon serves no endpoint of that name.
    std::function<base::Task<std::optional<EndpointAnswer>>(std::string name)> test_endpoint;
    // Rules and lists in TOML. Pure: called on another thread. Reads no file that the draft names.
    std::function<CheckedDraft(const std::string& toml)> check_rules;
    // On stored history; of all rules of this daemon where `rule` is empty. nullopt: it has no such rule.
    std::function<base::Task<std::optional<storage::Rehearsed>>(std::string rule, base::HeightRange heights)>
        rehearse_rules;
    storage::SilenceStore& silences;
    watch::Submissions& submissions;
    // Asks hosts for a tree that is not completely stored.
    std::function<base::Task<std::optional<watch::OpenTree>>(std::string tx_hash, std::string sender_id)>
        open_tree;
    base::asio::thread_pool& cpu;  // where large answers are made; nobody else's
    const base::Clock& clock;
    metrics::ApiSeries& series;
};

struct ApiOptions {
    DatabaseCalls::Limits database;
    // A submission asks the chain before it sends.
    std::chrono::milliseconds submission_patience{30'000};
    // After that the answer holds only the stored part of the tree.
    std::chrono::milliseconds open_tree_patience{2'000};
    // For a transaction that is not stored.
    std::chrono::milliseconds host_patience{10'000};
    // For rules that are checked, or tried on history.
    std::chrono::milliseconds trial_patience{35'000};
    EventHub::Options stream;
};

// State that all requests share.
struct Shared {
    static constexpr std::size_t kChecksAtOnce = 2;
    static constexpr std::size_t kCsvAtOnce = 8;

    // Downloads of lists; each has a part of its list in memory.
    struct CsvSeats {
        std::size_t taken = 0;
    };
    class CsvSeat {
    public:
        explicit CsvSeat(CsvSeats& seats) : seats_(seats) { ++seats_.taken; }
        ~CsvSeat() { --seats_.taken; }
        CsvSeat(const CsvSeat&) = delete;
        CsvSeat& operator=(const CsvSeat&) = delete;

    private:
        CsvSeats& seats_;
    };

    Shared(const base::asio::any_io_executor& executor, Services given, const ApiOptions& chosen)
        : services(std::move(given)),
          options(chosen),
          calls(executor, chosen.database),
          submissions(executor, chosen.database),
          checks(executor, {chosen.trial_patience, kChecksAtOnce}),
          rehearsals(executor, {chosen.trial_patience, 1}),
          host_questions(executor, services.clock),
          hub(executor, services.findings, services.clock, services.series, chosen.stream) {}

    Services services;
    ApiOptions options;
    DatabaseCalls calls;
    DatabaseCalls submissions;          // separate: a submission's wait for the chain delays no other call
    DatabaseCalls checks;               // of drafts of rules: they need the CPU
    base::asio::thread_pool drafts{1};  // where they are checked: nobody's answer waits for them
    DatabaseCalls rehearsals;           // of rules, one at a time
    HostQuestions host_questions;
    EventHub hub;
    CsvSeats csv_seats;
};

// The same as one client has it.
struct Context {
    explicit Context(std::shared_ptr<Shared> with, std::string name = {})
        : shared(std::move(with)), client(std::move(name)), calls(shared->calls.for_client(client)) {}

    std::shared_ptr<Shared> shared;
    std::string client;
    DatabaseCalls calls;
    Services& services = shared->services;
    const ApiOptions& options = shared->options;
    DatabaseCalls& submissions = shared->submissions;
    DatabaseCalls& checks = shared->checks;
    DatabaseCalls& rehearsals = shared->rehearsals;
    HostQuestions& host_questions = shared->host_questions;
    EventHub& hub = shared->hub;
};
using SharedContext = std::shared_ptr<Context>;

std::vector<Route> page_routes(const SharedContext& context);
std::vector<Route> watch_routes(const SharedContext& context);
std::vector<Route> transaction_routes(const SharedContext& context);
std::vector<Route> history_routes(const SharedContext& context);
std::vector<Route> search_routes(const SharedContext& context);
std::vector<Route> finding_routes(const SharedContext& context);
std::vector<Route> alert_routes(const SharedContext& context);
std::vector<Route> rule_routes(const SharedContext& context);
std::vector<Route> rule_trial_routes(const SharedContext& context);
std::vector<Route> schema_routes(const SharedContext& context);
std::vector<Route> endpoint_routes(const SharedContext& context);
std::vector<Route> silence_routes(const SharedContext& context);
std::vector<Route> stream_routes(const SharedContext& context);

// Adds routes of its own to the API: they share its connections and its patience.
using MakeRoutes = std::function<std::vector<Route>(const SharedContext& context)>;

// An action from a coroutine that takes the context.
using Handler = base::Task<net::ServerReply> (*)(SharedContext context, Call call);
inline Action bound(const SharedContext& context, Handler handler) {
    return [shared = context->shared, handler](Call call) {
        auto own = std::make_shared<Context>(shared, call.request.client);
        return handler(std::move(own), std::move(call));
    };
}

}  // namespace receiptd::api
