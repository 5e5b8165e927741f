#include "api/delivery_json.hpp"

#include "base/exact_json.hpp"
#include "watch/json_values.hpp"
#include "watch/transaction_json.hpp"

namespace receiptd::api {

using nlohmann::ordered_json;
using watch::text_or_null;

namespace {

// A text that is no JSON stands as a text.
ordered_json parsed_or_null(const std::string& text) {
    if (text.empty()) return {};
    auto parsed = base::read_json(text);
    return parsed.is_discarded() ? ordered_json(text) : parsed;
}

}  // namespace

ordered_json delivery_json(const storage::DeliveryRow& row) {
    ordered_json one;
    one["alert_id"] = row.alert_id;
    one["endpoint"] = row.endpoint;
    one["state"] = row.state;
    one["kind"] = row.kind;
    one["tx_hash"] = text_or_null(row.tx_hash);
    one["attempts"] = row.attempts;
    one["last_status"] = row.last_status == 0 ? ordered_json() : ordered_json(row.last_status);
    one["last_error"] = text_or_null(row.last_error);
    one["last_answer"] = text_or_null(row.last_answer);
    one["created_at"] = row.created_at;
    one["next_attempt_at"] = text_or_null(row.next_attempt_at);
    one["delivered_at"] = text_or_null(row.delivered_at);
    one["rules"] = row.rules;
    one["group_id"] = row.group_id == 0 ? ordered_json() : ordered_json(row.group_id);
    one["silence_id"] = row.silence_id == 0 ? ordered_json() : ordered_json(row.silence_id);
    one["late"] = row.late;
    one["dead_because"] = text_or_null(row.dead_because);
    return one;
}

ordered_json alert_json(const storage::StoredAlert& alert) {
    ordered_json one;
    one["alert_id"] = alert.alert_id;
    one["kind"] = alert.kind;
    one["tx_hash"] = text_or_null(alert.tx_hash);
    one["created_at"] = alert.created_at;
    one["cause"] = parsed_or_null(alert.finding ? watch::finding_json(*alert.finding) : alert.told_json);
    one["payload"] = parsed_or_null(alert.payload);
    one["deliveries"] = ordered_json::array();
    for (const auto& delivery : alert.deliveries) one["deliveries"].push_back(delivery_json(delivery));
    return one;
}

}  // namespace receiptd::api
