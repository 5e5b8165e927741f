// The durable queue of alerts (migrations/0004_alerts.sql: endpoints, alerts, deliveries) and what
// their payloads tell, for the dispatcher.
#pragma once

#include "base/clock.hpp"
#include "base/task.hpp"
#include "storage/finding_store.hpp"
#include "storage/watch_store.hpp"
#include "storm/settings.hpp"

#include <chrono>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

struct DueDelivery {
    std::string alert_id;
    std::string finding_id;  // what it tells; of the n-th telling the alert's id is "<finding_id>:n"
    std::string endpoint;
    std::string kind;
    std::string tx_hash;
    std::string payload;             // empty: not made yet
    unsigned attempts = 0;           // made before
    bool tried = false;              // ever, before it was sent anew by hand too
    std::vector<std::string> rules;  // that matched, with versions: "payments@3"
    std::string told_json;           // of a cause that no finding tells; empty: there is none
    std::int64_t group_id = 0;       // of the group that it is in or tells of; 0: none
    std::string group_json;          // what the group has in common (storm::group_key); empty: none
    std::string group_name;          // by which others know it; empty: it is sent as an alert of no group
    std::string first_payload;       // of the alert that began the group that it tells of, where asked for
    bool late = false;               // its first attempt comes long after its cause
    bool confirmed = true;           // the outcomes that it rests on, if any, are those of the chain
    base::WallTime created_at{};
    base::WallTime may_leave_at{};  // when it was made, or its outcomes were confirmed
};

// The cause of an alert, as far as it is stored.
struct StoredCause {
    std::optional<chain::Finding> finding;  // nullopt: forgotten by retention, or it is about something else
    StoredTree tree;
    // The transaction's watch has them; empty: there is none, or nothing was given.
    std::string idempotency_key, metadata_json;
    std::string evidence_json;  // of the stage that has the kind's name
};

// The message that all attempts of an alert send.
struct KeptPayload {
    std::string body;
    bool confirmed = true;  // DueDelivery::confirmed
};

// How many more deliveries an endpoint can take now.
struct EndpointRoom {
    std::string endpoint;
    unsigned limit = 0;
    bool ordered = false;   // of each transaction only the first that is pending
    bool is_probe = false;  // what was never tried comes first: others may be messages that it never takes
    storm::Settings storm = {};
};

// Deliveries of an endpoint that a claim found due and that are not attempted, by what became of them.
struct NotSent {
    std::string endpoint;
    std::string state;  // "silenced", "grouped", "withheld", "late", "overtaken", "dead"
    unsigned count = 0;
};

struct EndpointPause {
    std::string endpoint;
    std::chrono::milliseconds time{0};  // in which its pace lets nothing more go
};

struct Claimed {
    std::vector<DueDelivery> due;  // to be attempted now
    std::vector<NotSent> not_sent;
    std::vector<EndpointPause> pauses;

    Claimed& operator+=(Claimed more) {
        std::move(more.due.begin(), more.due.end(), std::back_inserter(due));
        std::move(more.not_sent.begin(), more.not_sent.end(), std::back_inserter(not_sent));
        std::move(more.pauses.begin(), more.pauses.end(), std::back_inserter(pauses));
        return *this;
    }
};

struct EndpointStorm {
    std::string endpoint;
    storm::Settings settings;
};

// The result of one attempt.
struct DeliveryOutcome {
    std::string alert_id;
    std::string endpoint;
    bool delivered = false;
    bool dead = false;
    bool endpoint_gone = false;  // 410: the endpoint is switched off
    bool counts = true;          // as one of the attempts
    std::optional<std::chrono::milliseconds> again_in;
    int status = 0;  // of HTTP; 0: no answer
    std::string error;
    std::string answer;  // the beginning of the body
};

// The backlog of one endpoint that has deliveries pending or dead.
struct DeliveryBacklog {
    std::string endpoint;
    std::uint64_t pending = 0;
    std::uint64_t dead = 0;
    std::chrono::milliseconds oldest_pending{0};  // age, since it was made
    std::chrono::milliseconds oldest_cause{0};    // age by block time, of those that wait longest
    std::uint64_t not_tried = 0;  // due for five minutes without an attempt, of those that wait longest
};

// An endpoint of a daemon's configuration, with the names of the rules that it takes.
struct ServedEndpoint {
    std::string name;
    std::vector<std::string> rules;
};

// The rules of the configuration count when a daemon starts or has read it anew. When it starts, an endpoint
// that answered 410 is switched on.
enum class Serving { begins, changes, goes_on };

class DeliveryStore {
public:
    virtual ~DeliveryStore() = default;

    // Alerts are queued for these endpoints for four days from now on. Endpoints of other daemons
    // stay as they are. Returns the ones of these that are switched off.
    virtual base::Task<std::vector<std::string>> serve_endpoints(std::vector<ServedEndpoint> endpoints,
                                                                 Serving serving) = 0;

    // Due ones of these endpoints, of each at most its limit and the longest due first, leased to this
    // process for `lease` (FOR UPDATE SKIP LOCKED). By endpoint, so that the backlog of one hides no other;
    // none of an endpoint that is switched off. What storm control keeps back is not among them.
    virtual base::Task<Claimed> claim_deliveries(std::vector<EndpointRoom> rooms,
                                                 std::chrono::seconds lease) = 0;
    // Queues what is due about groups of alerts and what caps withheld; how many messages.
    virtual base::Task<unsigned> tend_storms(std::vector<EndpointStorm> endpoints) = 0;
    // By alert_id. All at once: planning the questions costs more than answering them.
    virtual base::Task<std::map<std::string, StoredCause>> causes(std::vector<DueDelivery> deliveries) = 0;
    // Stores bodies, by alert_id, before their first attempt; an earlier stored body wins and is returned.
    // From here on it is settled whether an alert's outcomes are confirmed: all attempts send the same.
    // Nothing of alerts that were deleted meanwhile, or whose body the database does not take.
    virtual base::Task<std::map<std::string, KeptPayload>> keep_payloads(
        std::map<std::string, std::string> payloads) = 0;
    virtual base::Task<void> record_delivery(DeliveryOutcome outcome) = 0;
    // Time until the next delivery of one of these endpoints is due; nullopt: none is pending.
    virtual base::Task<std::optional<std::chrono::milliseconds>> next_delivery_in(
        std::vector<std::string> endpoints) = 0;
    virtual base::Task<std::vector<DeliveryBacklog>> delivery_backlog() = 0;
};

}  // namespace receiptd::storage
