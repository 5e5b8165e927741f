// An endpoint as /v1/endpoints and `receiptd endpoints list --json` show it, and its answer to a test.
#pragma once

#include "api/services.hpp"
#include "storage/endpoint_store.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::api {

nlohmann::ordered_json endpoint_json(const storage::EndpointRow& row);
nlohmann::ordered_json answer_json(const EndpointAnswer& answer);

}  // namespace receiptd::api
