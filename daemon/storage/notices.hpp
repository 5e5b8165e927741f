// Messages about storms: what a digest, the end of a group or a cap tells an endpoint. They are alerts of
// their own, with a delivery each.
#pragma once

#include "storage/pqxx_shim.hpp"
#include "storm/limits.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::storage {

// Their kinds, in alerts.kind.
inline constexpr std::string_view kGroupDigest = "group_digest";
inline constexpr std::string_view kGroupResolved = "group_resolved";
inline constexpr std::string_view kEndpointWithheld = "endpoint_withheld";
bool is_notice(std::string_view kind);

struct Notice {
    std::string alert_id;
    std::string_view kind;
    std::string endpoint;
    std::int64_t group_id = 0;  // 0: about none
    std::string cause_json;
    bool replaces = false;  // it is told anew under its old id
};

void queue_notice(pqxx::transaction_base& tx, const Notice& notice);

// `is_over`: the hour is; else its cap was reached just now. The latter is not sent after the former.
void queue_withheld(pqxx::transaction_base& tx, const std::string& endpoint, const storm::Load& load,
                    unsigned most, bool is_over);

}  // namespace receiptd::storage
