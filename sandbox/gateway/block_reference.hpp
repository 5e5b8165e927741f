// Resolves the block that a request names (rpc.md §2).
#pragma once

#include "sandbox/gateway/rpc_answer.hpp"
#include "sandbox/gateway/rpc_context.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <variant>

namespace receiptd::sandbox {

// A PARSE_ERROR.
struct UnreadableReference {
    std::string message;
};
// Skipped, not there yet, of an unknown hash, or no longer kept.
struct MissingBlock {
    nlohmann::json block_id;               // height or hash, as asked for
    std::optional<Height> collected = {};  // its height, if this host had it once
    std::string collected_hash{};
};
using BlockChoice = std::variant<Height, UnreadableReference, MissingBlock>;

// `params`: an object with block_id, finality or sync_checkpoint, or [block_id].
BlockChoice choose_block(const RpcContext& context, const nlohmann::json& params);
// A height or a hash.
BlockChoice choose_block_id(const RpcContext& context, const nlohmann::json& block_id);
// [block_id], [null], {block_id}, {block_id: null} or nothing; without an id the newest block.
BlockChoice choose_block_or_newest(const RpcContext& context, const nlohmann::json& params);

// The height of a block whose header this host has: it keeps those of the blocks that it has collected.
std::optional<Height> header_height(const BlockChoice& choice);

// The answer to a request whose block is not there; most methods say it the same way (rpc.md §4.1).
RpcAnswer refusal(const BlockChoice& choice);

bool is_hash(const nlohmann::json& value);

}  // namespace receiptd::sandbox
