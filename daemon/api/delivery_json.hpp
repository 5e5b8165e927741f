// A delivery as /v1/alerts and `receiptd alerts list --json` show it, and an alert with its deliveries.
#pragma once

#include "storage/delivery_access.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::api {

nlohmann::ordered_json delivery_json(const storage::DeliveryRow& row);
// `cause` is the finding, or what the alert itself tells; null: forgotten. `payload` is null before the first
// attempt.
nlohmann::ordered_json alert_json(const storage::StoredAlert& alert);

}  // namespace receiptd::api
