// Errors in nearcore's JSON: a variant without payload is a string, one with payload a one-key object.
#pragma once

#include "sandbox/sim/model.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <utility>

namespace receiptd::sandbox::sim {

inline Json variant(const char* name, Json payload) {
    Json json = Json::object();
    json[name] = std::move(payload);
    return json;
}

// As an initialiser list must not be taken for an array of pairs.
inline Json payload(std::initializer_list<std::pair<const char*, Json>> members) {
    Json json = Json::object();
    for (const auto& [name, value] : members) json[name] = value;
    return json;
}

inline Json balance_json(u128 balance) { return base::to_string(balance); }

inline Json account_error(const char* name, std::string_view account_id) {
    return variant(name, payload({{"account_id", account_id}}));
}

inline Json key_error(const char* name, std::string_view account_id, const PublicKey& key) {
    return variant(name, payload({{"account_id", account_id}, {"public_key", key.to_string()}}));
}

}  // namespace receiptd::sandbox::sim
