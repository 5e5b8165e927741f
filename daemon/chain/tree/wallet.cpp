#include "chain/tree/wallet.hpp"

#include "chain/wire/account_id.hpp"
#include "chain/wire/base64.hpp"

#include <simdjson.h>

namespace receiptd::chain {

std::optional<std::string> wallet_refusal(Text executor_id, const ExecutionStatus& status) {
    if (status.kind != StatusKind::success_value || status.success_value.empty()) return std::nullopt;
    if (account_kind(executor_id) != AccountKind::eth_implicit) return std::nullopt;
    std::string answer;
    if (!base64_decode_into(status.success_value, answer)) return std::nullopt;
    thread_local simdjson::dom::parser parser;
    const auto json = parser.parse(simdjson::padded_string(answer));
    bool success = true;
    if (json.at_key("success").get(success) != simdjson::SUCCESS || success) return std::nullopt;
    std::string_view error;
    if (json.at_key("error").get(error) != simdjson::SUCCESS) return std::string();
    return std::string(error);
}

}  // namespace receiptd::chain
