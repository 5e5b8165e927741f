#include "rpc/result_json.hpp"

#include "chain/json/json_check.hpp"

#include <utility>

namespace receiptd::rpc {

nlohmann::json result_json(const std::string& answer) {
    if (!chain::check_json(answer).valid) return {};
    auto json = nlohmann::json::parse(answer, nullptr, false);
    const auto result = json.is_object() ? json.find("result") : json.end();
    return result == json.end() ? nlohmann::json() : std::move(*result);
}

}  // namespace receiptd::rpc
