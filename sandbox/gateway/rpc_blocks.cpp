// Methods for blocks and chunks (rpc.md §4), and for facts of a block as a whole.
#include "sandbox/gateway/block_reference.hpp"
#include "sandbox/gateway/json_text.hpp"
#include "sandbox/gateway/rpc_parts.hpp"

namespace receiptd::sandbox::rpc {

namespace {

constexpr const char* kNoChunkReference = "data did not match any variant of untagged enum ChunkReference";

// A node also has the blocks of forks that lost, by their hashes, and says nothing about it.
std::variant<std::string, RpcAnswer> block_text(const RpcContext& context, const BlockChoice& chosen) {
    if (const auto* height = std::get_if<Height>(&chosen)) {
        auto text = context.chain.block(*height);
        return text ? std::variant<std::string, RpcAnswer>(std::move(*text)) : unknown_block(*height);
    }
    const auto* missing = std::get_if<MissingBlock>(&chosen);
    if (!missing || !missing->block_id.is_string()) return refusal(chosen);
    auto lost = context.chain.lost_block(missing->block_id.get_ref<const std::string&>());
    if (!lost || !context.window.contains(lost->height)) return refusal(chosen);
    return std::move(lost->json);
}

// The hash of a chunk, or the answer that refuses it.
using ChunkChoice = std::variant<std::string, RpcAnswer>;

ChunkChoice by_shard(const RpcContext& context, const Json& block_id, const Json& shard_id) {
    if (!shard_id.is_number_unsigned()) return failed_args("invalid field `shard_id`");
    auto found = block_text(context, choose_block_id(context, block_id));
    if (auto* refused = std::get_if<RpcAnswer>(&found)) return std::move(*refused);
    const Json block = Json::parse(std::get<std::string>(found));
    for (const auto& slot : block.value("chunks", Json::array())) {
        if (slot.value("shard_id", Json()) == shard_id) return slot.value("chunk_hash", "");
    }
    return invalid_shard_id(shard_id.get<std::uint64_t>());
}

ChunkChoice by_hash(const Json& chunk_id) {
    if (!is_hash(chunk_id)) return failed_args(kNoChunkReference);
    return chunk_id.get<std::string>();
}

ChunkChoice choose_chunk(const RpcContext& context, const Json& params) {
    if (params.is_array() && params.size() == 1) {
        const Json& only = params[0];
        if (only.is_array() && only.size() == 2) return by_shard(context, only[0], only[1]);
        return by_hash(only);
    }
    if (params.is_object()) {
        if (const auto id = params.find("chunk_id"); id != params.end()) return by_hash(*id);
        if (params.contains("block_id") && params.contains("shard_id"))
            return by_shard(context, params["block_id"], params["shard_id"]);
    }
    return failed_args(kNoChunkReference);
}

// The chunk that params mean, if this host shows it.
std::variant<Located, RpcAnswer> find_chunk(const RpcContext& context, const Json& params,
                                            std::string& hash) {
    auto chosen = choose_chunk(context, params);
    if (auto* refused = std::get_if<RpcAnswer>(&chosen)) return std::move(*refused);
    hash = std::get<std::string>(std::move(chosen));
    auto found = context.chain.chunk(hash);
    if (!found || !context.window.contains(found->height)) return unknown_chunk(hash);
    return std::move(*found);
}

}  // namespace

RpcAnswer block(const RpcContext& context, const Json& params) {
    auto found = block_text(context, choose_block(context, params));
    if (auto* refused = std::get_if<RpcAnswer>(&found)) return std::move(*refused);
    return result(std::get<std::string>(found));
}

RpcAnswer chunk(const RpcContext& context, const Json& params) {
    std::string hash;
    auto found = find_chunk(context, params, hash);
    if (auto* refused = std::get_if<RpcAnswer>(&found)) return std::move(*refused);
    return result(std::get<Located>(found).json);
}

RpcAnswer congestion_level(const RpcContext& context, const Json& params, LiveChain& live) {
    std::string hash;
    auto found = find_chunk(context, params, hash);
    if (auto* refused = std::get_if<RpcAnswer>(&found)) return std::move(*refused);
    return result_of({{"congestion_level", live.congestion_level(hash)}});
}

RpcAnswer gas_price(const RpcContext& context, const Json& params) {
    const auto chosen = choose_block_or_newest(context, params);
    const auto height = header_height(chosen);
    if (!height) return refusal(chosen);
    return result_of({{"gas_price", block_header(context.chain, *height).value("gas_price", "0")}});
}

RpcAnswer changes_in_block(const RpcContext& context, const Json& params, LiveChain& live) {
    const auto chosen = choose_block(context, params);
    const auto* height = std::get_if<Height>(&chosen);
    if (!height) return refusal(chosen);
    return result_of(
        {{"block_hash", block_hash(context.chain, *height)}, {"changes", live.changes_in_block(*height)}});
}

}  // namespace receiptd::sandbox::rpc
