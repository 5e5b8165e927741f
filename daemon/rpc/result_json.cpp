#include "rpc/result_json.hpp"

#include "chain/json/json_check.hpp"

#include <utility>

namespace receiptd::rpc {

namespace {

// The largest, a protocol config, has 60 kB; nlohmann's tree takes 40 times the memory of a text.
constexpr std::size_t kLongest = 256 * 1024;

}  // namespace

nlohmann::json result_json(const std::string& answer) {
    if (answer.size() > kLongest || !chain::check_json(answer).valid) return {};
    auto json = nlohmann::json::parse(answer, nullptr, false);
    const auto result = json.is_object() ? json.find("result") : json.end();
    return result == json.end() ? nlohmann::json() : std::move(*result);
}

}  // namespace receiptd::rpc
