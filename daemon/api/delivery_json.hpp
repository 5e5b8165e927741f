// A delivery as /v1/alerts and `receiptd alerts list --json` show it.
#pragma once

#include "storage/delivery_store.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::api {

nlohmann::ordered_json delivery_json(const storage::DeliveryRow& row);

}  // namespace receiptd::api
