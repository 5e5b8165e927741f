#include "storage/still_holds.hpp"

#include "storage/watch_rows.hpp"

namespace receiptd::storage {
namespace {

// The row of a delivery tells in next_attempt_at when its fate was decided.
const std::string kIsFreeAgain =
    "(d.state = 'silenced' AND NOT EXISTS (SELECT FROM silences s WHERE s.silence_id = d.silence_id "
    "    AND s.ends_at > now()) "
    "  OR d.state = 'withheld' AND date_trunc('hour', d.next_attempt_at) < date_trunc('hour', now()) "
    "  OR d.state = 'dead' AND (d.dead_because = 'gone' OR d.next_attempt_at < now() - interval '1 hour'))";

// One that has opened its group is sent as it is; others are sorted anew, and open theirs.
const std::string kQueueAgain =
    "WITH held AS (SELECT alert_id FROM timed_episodes WHERE ended_at IS NULL "
    "  UNION ALL SELECT a.alert_id FROM watches w JOIN alerts a ON a.tx_hash = w.tx_hash AND a.kind = "
    "'stuck' "
    "    WHERE $2::boolean AND w.stuck_since IS NOT NULL AND w." +
    kOpenStages +
    "), "
    "due AS (SELECT d.alert_id, d.endpoint FROM held JOIN deliveries d USING (alert_id) "
    "  JOIN endpoints e ON e.name = d.endpoint AND e.active "
    "  WHERE d.endpoint = ANY ($1::text[]) AND " +
    kIsFreeAgain +
    " FOR UPDATE OF d SKIP LOCKED) "
    "UPDATE deliveries d SET state = 'pending', attempts = 0, next_attempt_at = now(), created_at = now(), "
    "lease_owner = NULL, silence_id = NULL, dead_because = NULL, late = false, "
    "last_status = CASE WHEN d.group_id IS NOT NULL THEN d.last_status END, "
    "last_error = CASE WHEN d.group_id IS NOT NULL THEN d.last_error END "
    "FROM due WHERE d.alert_id = due.alert_id AND d.endpoint = due.endpoint";

}  // namespace

const std::string kConditionOfAlert =
    "LEFT JOIN watches w ON w.tx_hash = a.tx_hash AND a.kind = 'stuck' "
    "LEFT JOIN timed_episodes e ON e.alert_id = a.alert_id AND e.ended_at IS NULL ";
const std::string kConditionHolds =
    "(e.alert_id IS NOT NULL OR (w.stuck_since IS NOT NULL AND w." + kOpenStages + "))";

unsigned queue_what_still_holds(pqxx::transaction_base& tx, const std::vector<std::string>& endpoints,
                                LookAt look_at) {
    const auto queued =
        shim::query(tx, kQueueAgain, text_array(endpoints), look_at == LookAt::watches_too).affected_rows();
    return static_cast<unsigned>(queued);
}

}  // namespace receiptd::storage
