#include "storage/notices.hpp"

#include "base/iso_time.hpp"
#include "base/json_text.hpp"
#include "storage/database_id.hpp"

namespace receiptd::storage {
namespace {

// An attempt that is under way ends as it ends.
void overtake(pqxx::transaction_base& tx, const std::string& alert_id, const std::string& endpoint) {
    shim::query(tx,
                "UPDATE deliveries SET state = 'overtaken' WHERE (alert_id, endpoint) IN (SELECT alert_id, "
                "endpoint FROM deliveries WHERE alert_id = $1 AND endpoint = $2 AND state = 'pending' "
                "AND lease_owner IS NULL FOR UPDATE SKIP LOCKED)",
                alert_id, endpoint);
}

}  // namespace

bool is_notice(std::string_view kind) {
    return kind == kGroupDigest || kind == kGroupResolved || kind == kEndpointWithheld;
}

// One that replaces an earlier one takes its place, whatever became of that.
void queue_notice(pqxx::transaction_base& tx, const Notice& notice) {
    const std::string again = notice.replaces ? "UPDATE SET " : "NOTHING";
    shim::query(
        tx,
        "WITH told AS (INSERT INTO alerts (alert_id, kind, cause, caused_at) "
        "  VALUES ($1, $2, $3::json, now()) ON CONFLICT (alert_id) DO " +
            (notice.replaces ? again + "cause = excluded.cause, payload = NULL, caused_at = now()" : again) +
            ") INSERT INTO deliveries (alert_id, endpoint, group_id, rules) "
            "VALUES ($1, $4, nullif($5::bigint, 0), (SELECT rules FROM deliveries "
            "  WHERE group_id = $5::bigint AND rules IS NOT NULL LIMIT 1)) ON CONFLICT (alert_id, endpoint) "
            "DO " +
            (notice.replaces ? again + "state = 'pending', attempts = 0, next_attempt_at = now(), "
                                       "lease_owner = NULL, delivered_at = NULL, by_hand = false, "
                                       "created_at = now()"
                             : again),
        notice.alert_id, std::string(notice.kind), notice.cause_json, notice.endpoint, notice.group_id);
}

void queue_withheld(pqxx::transaction_base& tx, const std::string& endpoint, const storm::Load& load,
                    unsigned most, bool is_over) {
    const auto hour = base::iso_time(load.hour);
    const auto name = "withheld-" + name_of(origin(tx), {endpoint, hour});
    if (is_over) overtake(tx, name + ":begin", endpoint);
    Notice notice;
    notice.alert_id = name + (is_over ? ":end" : ":begin");
    notice.kind = kEndpointWithheld;
    notice.endpoint = endpoint;
    notice.cause_json = base::JsonObject()
                            .text("endpoint", endpoint)
                            .number("most_per_hour", most)
                            .text("since", hour)
                            .text("until", base::iso_time(load.hour + std::chrono::hours(1)))
                            .json("withheld", is_over ? std::to_string(load.withheld) : "null")
                            .to_json();
    queue_notice(tx, notice);
}

}  // namespace receiptd::storage
