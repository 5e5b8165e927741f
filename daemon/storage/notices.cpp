#include "storage/notices.hpp"

#include "base/iso_time.hpp"
#include "base/json_text.hpp"

namespace receiptd::storage {

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
                                       "lease_owner = NULL, delivered_at = NULL, created_at = now()"
                             : again),
        notice.alert_id, std::string(notice.kind), notice.cause_json, notice.endpoint, notice.group_id);
}

Notice withheld_notice(const std::string& endpoint, const storm::Load& load, unsigned most, bool is_over) {
    const auto hour = base::iso_time(load.hour);
    Notice notice;
    notice.alert_id = "withheld:" + endpoint + ":" + hour.substr(0, 13) + (is_over ? ":end" : ":begin");
    notice.kind = kEndpointWithheld;
    notice.endpoint = endpoint;
    notice.cause_json = base::JsonObject()
                            .text("endpoint", endpoint)
                            .number("most_per_hour", most)
                            .text("since", hour)
                            .text("until", base::iso_time(load.hour + std::chrono::hours(1)))
                            .json("withheld", is_over ? std::to_string(load.withheld) : "null")
                            .to_json();
    return notice;
}

}  // namespace receiptd::storage
