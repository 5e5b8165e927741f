// Whole blocks that a node makes (rpc.md §9.1).
#include "sandbox/gateway/block_reference.hpp"
#include "sandbox/gateway/rpc_parts.hpp"

#include <string>

namespace receiptd::sandbox::rpc {

namespace {

RpcAnswer cannot(std::string_view cause, std::string_view why) {
    const Json info = {{"error_message", why}};
    return handler_error(cause, info, {{"name", cause}, {"info", info}});
}

}  // namespace

RpcAnswer indexer_block(const RpcContext& context, const Json& params) {
    if (!params.is_object() || params.size() != 1 || !params.contains("block_hash"))
        return failed_args("expected one field, `block_hash`");
    const Json& hash = params["block_hash"];
    if (!is_hash(hash)) return failed_args("invalid field `block_hash`");
    const auto height = context.chain.height_of_block(hash.get_ref<const std::string&>());
    if (!height || !context.window.contains(*height))
        return cannot("DATA_UNAVAILABLE", "block " + hash.get<std::string>() + " is not here");
    const auto text = context.chain.whole_block(*height);
    if (!text) return cannot("UNSUPPORTED", "outcomes of transactions are not saved");
    Json whole = Json::parse(*text);
    whole["tracked_shards"] = Json::array();
    for (auto& shard : whole["shards"]) {
        whole["tracked_shards"].push_back(shard["shard_id"]);
        for (auto& executed : shard["receipt_execution_outcomes"]) executed.erase("tx_hash");
    }
    return result_of(whole);
}

}  // namespace receiptd::sandbox::rpc
