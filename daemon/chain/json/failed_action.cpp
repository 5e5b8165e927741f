#include "chain/json/failed_action.hpp"

#include <simdjson.h>

namespace receiptd::chain {

std::optional<std::uint64_t> failed_action(std::string_view tx_execution_error_json) {
    thread_local simdjson::dom::parser parser;
    std::uint64_t index = 0;
    const auto error = parser.parse(simdjson::padded_string(tx_execution_error_json));
    if (error.at_key("ActionError").at_key("index").get(index) != simdjson::SUCCESS) return std::nullopt;
    return index;
}

}  // namespace receiptd::chain
