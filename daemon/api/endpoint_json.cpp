#include "api/endpoint_json.hpp"

#include "watch/json_values.hpp"

namespace receiptd::api {

nlohmann::ordered_json endpoint_json(const storage::EndpointRow& row) {
    nlohmann::ordered_json one;
    one["name"] = row.name;
    one["rules"] = row.rules;
    one["active"] = row.active;
    one["off_since"] = watch::text_or_null(row.off_since);
    one["off_because"] = watch::text_or_null(row.active ? "" : "it answered 410 Gone");
    one["paused_since"] = watch::text_or_null(row.paused_since);
    one["is_served"] = row.is_served;
    one["served_at"] = row.served_at;
    one["served_by"] = watch::text_or_null(row.served_by);
    one["pending"] = row.pending;
    one["oldest_pending_at"] = watch::text_or_null(row.oldest_pending_at);
    one["dead"] = row.dead;
    return one;
}

nlohmann::ordered_json answer_json(const EndpointAnswer& answer) {
    nlohmann::ordered_json one;
    one["accepted"] = answer.accepted;
    one["status"] = answer.status == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(answer.status);
    one["error"] = watch::text_or_null(answer.error);
    one["body"] = watch::text_or_null(answer.body);
    one["seconds"] = answer.seconds;
    return one;
}

}  // namespace receiptd::api
