#include "alert/test_message.hpp"

#include "alert/payload.hpp"
#include "base/iso_time.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace receiptd::alert {

Message test_message(std::string endpoint, const std::string& network, base::WallTime now) {
    nlohmann::ordered_json body;
    body["type"] = "test";
    body["timestamp"] = base::iso_time(now);
    body["schema_version"] = kSchemaVersion;
    body["network"] = network;
    body["data"] = {{"summary", "a test of the endpoint " + endpoint + ": nothing has happened"}};
    body["rules"] = nlohmann::ordered_json::array();
    const auto sent_at = std::chrono::floor<std::chrono::microseconds>(now).time_since_epoch().count();
    Message message;
    message.endpoint = std::move(endpoint);
    message.id = "test:" + std::to_string(sent_at);
    message.body = body.dump();
    return message;
}

}  // namespace receiptd::alert
