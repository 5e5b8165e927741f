// What people are told of: the transaction that stores a cause also queues its alerts, and a finding's line
// of the stream.
#pragma once

#include "chain/rows/rows.hpp"
#include "rule/subject.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/rule_book.hpp"
#include "storage/sql_time.hpp"
#include "storage/told.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::storage {

// Condition on a row of endpoints: a daemon alive, or alive in the last four days (the retry schedule's
// length), serves it.
inline const std::string kServed = "served_at > now() - interval '4 days'";

// Conditions on a row d of deliveries: no attempt has ended; it waits for its first attempt.
inline const std::string kUntried = "d.attempts = 0 AND d.last_status IS NULL AND d.last_error IS NULL";
inline const std::string kUnsent = "d.state = 'pending' AND " + kUntried + " AND d.lease_owner IS NULL";

// Condition on a row e of endpoints: nothing is sent to it for now.
inline const std::string kHeldBack = "(NOT e.active OR e.paused_since IS NOT NULL)";

// A table in SQL, f: these rows ("findings f WHERE …") without relayers' repetitions of what was executed
// already. They are no news (schema/27_delegate_refusals.sql), unless a daemon wants to be told of them.
std::string without_repetitions(const std::string& findings);

// Rows of findings by their ids, and the times between which they lie.
struct News {
    std::vector<std::string> finding_ids;
    TimeSpan span = kNoTime;
    base::WallTime sent_since{};

    void add(std::string finding_id, std::uint64_t timestamp_nanosec);
};

// A cause that no row of findings tells, with all that its message says of it.
struct Event {
    rule::Subject subject;
    std::string cause_json;
    unsigned telling = 1;  // how often it was told, with this time
    // The id of an earlier alert about the same: who has that one does not get this one. Empty: there is
    // none.
    std::string earlier_alert = {};
};

// The names of the rules that match. An abnormal end of a watch is a finding and a stage: rules of both are
// about it.
std::vector<std::string_view> rules_about(const rule::Subject& finding, const rule::RuleSet& rules);

// Makes an alert of each finding, queues it for the served endpoints whose rules match, and writes the lines
// of the stream. The same cause, found again, is not reported again, unless it was taken back since
// (corrections.hpp): then its alert has an id of its own, "<finding_id>:2". `again`: those alone. Alerts
// about what happened before `sent_since` are stored, and are not sent.
enum class Telling : std::uint8_t { any, again };
Told tell(pqxx::transaction_base& tx, RuleBook& rules, const News& news, Telling telling = Telling::any);
Told tell_findings(pqxx::transaction_base& tx, RuleBook& rules, const std::vector<chain::Finding>& findings,
                   Telling telling = Telling::any, base::WallTime sent_since = {});
// The same of events; one that no rule matches leaves nothing.
Told tell_events(pqxx::transaction_base& tx, const rule::RuleSet& rules, const std::vector<Event>& events,
                 base::WallTime sent_since = {});
// Events that follow earlier alerts (Event::earlier_alert): each goes to the endpoints for which that one was
// queued, and no rule is asked.
Told tell_further(pqxx::transaction_base& tx, const std::vector<Event>& events);
// An event that belongs to one rule.
Told tell_of_rule(pqxx::transaction_base& tx, std::string_view rule, const Event& event);
// Findings of kind "corrected": they go to the endpoints for which what they correct was queued,
// and no rule is asked.
void tell_corrections(pqxx::transaction_base& tx, const News& corrections);

}  // namespace receiptd::storage
