#include "api/delivery_json.hpp"

namespace receiptd::api {

using nlohmann::ordered_json;

static ordered_json or_null(const std::string& text) {
    return text.empty() ? ordered_json() : ordered_json(text);
}

ordered_json delivery_json(const storage::DeliveryRow& row) {
    ordered_json one;
    one["alert_id"] = row.alert_id;
    one["endpoint"] = row.endpoint;
    one["state"] = row.state;
    one["kind"] = row.kind;
    one["tx_hash"] = or_null(row.tx_hash);
    one["attempts"] = row.attempts;
    one["last_status"] = row.last_status == 0 ? ordered_json() : ordered_json(row.last_status);
    one["last_error"] = or_null(row.last_error);
    one["created_at"] = row.created_at;
    one["next_attempt_at"] = or_null(row.next_attempt_at);
    one["delivered_at"] = or_null(row.delivered_at);
    return one;
}

}  // namespace receiptd::api
