#include "api/delivery_json.hpp"

#include "watch/json_values.hpp"

namespace receiptd::api {

using nlohmann::ordered_json;
using watch::text_or_null;

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
    one["created_at"] = row.created_at;
    one["next_attempt_at"] = text_or_null(row.next_attempt_at);
    one["delivered_at"] = text_or_null(row.delivered_at);
    one["rules"] = row.rules;
    return one;
}

}  // namespace receiptd::api
