// A silence as JSON, as the API and the command line tell it.
#pragma once

#include "storage/silence_store.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::api {

nlohmann::ordered_json silence_json(const storage::SilenceRow& row);

}  // namespace receiptd::api
