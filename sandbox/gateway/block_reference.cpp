#include "sandbox/gateway/block_reference.hpp"

#include "chain/wire/hash.hpp"

namespace receiptd::sandbox {

namespace {

using nlohmann::json;

constexpr const char* kNoBlockId = "data did not match any variant of untagged enum BlockId";

BlockChoice by_finality(const RpcContext& context, const json& finality) {
    if (finality == "optimistic") return context.window.tip;
    if (finality == "near-final") return context.chain.near_final_head(context.window.tip);
    if (finality == "final") return context.chain.final_head(context.window.tip);
    return UnreadableReference{
        "unknown variant of `finality`, expected one of `optimistic`, `near-final`, `final`"};
}

BlockChoice by_checkpoint(const RpcContext& context, const json& checkpoint) {
    if (checkpoint == "earliest_available") return context.window.floor;
    if (checkpoint == "genesis") return choose_block_id(context, context.chain.first());
    return UnreadableReference{
        "unknown variant of `sync_checkpoint`, expected one of `genesis`, `earliest_available`"};
}

}  // namespace

bool is_hash(const json& value) {
    return value.is_string() && chain::CryptoHash::parse(value.get_ref<const std::string&>()).has_value();
}

BlockChoice choose_block_id(const RpcContext& context, const json& block_id) {
    std::optional<Height> height;
    if (block_id.is_number_unsigned()) {
        if (context.chain.has_block(block_id.get<Height>())) height = block_id.get<Height>();
    } else if (is_hash(block_id)) {
        height = context.chain.height_of_block(block_id.get_ref<const std::string&>());
    } else {
        return UnreadableReference{kNoBlockId};
    }
    if (!height || *height > context.window.tip) return MissingBlock{block_id};
    if (*height < context.window.floor)
        return MissingBlock{block_id, height, block_hash(context.chain, *height)};
    return *height;
}

BlockChoice choose_block(const RpcContext& context, const json& params) {
    if (params.is_array()) {
        if (params.size() == 1) return choose_block_id(context, params[0]);
        return UnreadableReference{"invalid length " + std::to_string(params.size())};
    }
    if (!params.is_object()) return UnreadableReference{"expected a block reference"};
    if (const auto id = params.find("block_id"); id != params.end()) return choose_block_id(context, *id);
    if (const auto finality = params.find("finality"); finality != params.end())
        return by_finality(context, *finality);
    if (const auto checkpoint = params.find("sync_checkpoint"); checkpoint != params.end())
        return by_checkpoint(context, *checkpoint);
    return UnreadableReference{"expected one of `block_id`, `finality`, `sync_checkpoint`"};
}

BlockChoice choose_block_or_newest(const RpcContext& context, const json& params) {
    if (params.is_array() && params.size() > 1)
        return UnreadableReference{"invalid length " + std::to_string(params.size())};
    json block_id;
    if (params.is_array() && params.size() == 1) block_id = params[0];
    if (params.is_object()) block_id = params.value("block_id", json());
    if (block_id.is_null()) return context.window.tip;
    return choose_block_id(context, block_id);
}

std::optional<Height> header_height(const BlockChoice& choice) {
    if (const auto* height = std::get_if<Height>(&choice)) return *height;
    const auto* missing = std::get_if<MissingBlock>(&choice);
    return missing ? missing->collected : std::nullopt;
}

RpcAnswer refusal(const BlockChoice& choice) {
    if (const auto* unreadable = std::get_if<UnreadableReference>(&choice))
        return failed_args(unreadable->message);
    const auto& [block_id, collected, collected_hash] = std::get<MissingBlock>(choice);
    if (collected) return collected_block(collected_hash);
    if (block_id.is_number()) return unknown_block(block_id.get<Height>());
    return unknown_block(block_id.get_ref<const std::string&>());
}

}  // namespace receiptd::sandbox
