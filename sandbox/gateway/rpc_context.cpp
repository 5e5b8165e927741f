#include "sandbox/gateway/rpc_context.hpp"

#include "sandbox/gateway/json_text.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {

std::string block_hash(const Chain& chain, Height height) {
    const auto text = chain.block(height);
    if (!text) return "";
    return std::string(
        json_text::string_body(json_text::require(json_text::require(*text, "header"), "hash")));
}

nlohmann::json block_header(const Chain& chain, Height height) {
    const auto text = chain.block(height);
    if (!text) return nlohmann::json::object();
    return nlohmann::json::parse(json_text::require(*text, "header"));
}

}  // namespace receiptd::sandbox
