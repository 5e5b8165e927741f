// The `result` of a small JSON-RPC answer that no model of chain/ describes.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace receiptd::rpc {

// Null where the answer is not JSON, is longer than 256 KiB, is nested deeper than chain::check_json() takes,
// or has no result. The bounds come first: nlohmann copies and writes values by recursion.
nlohmann::json result_json(const std::string& answer);

}  // namespace receiptd::rpc
