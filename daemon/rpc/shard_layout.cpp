#include "rpc/shard_layout.hpp"

#include "rpc/result_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace receiptd::rpc {

namespace {

using nlohmann::json;

constexpr std::size_t kMostShards = 10'000;

base::Result<chain::ShardLayout, std::string> refused(std::string why) {
    return refuse<chain::ShardLayout>("shard_layout: " + std::move(why));
}

bool is_ascending(const std::vector<std::string>& accounts) {
    return std::adjacent_find(accounts.begin(), accounts.end(), std::greater_equal<>()) == accounts.end();
}

// Throws json::exception where the shape is another one.
base::Result<chain::ShardLayout, std::string> read_layout(const json& told) {
    const auto& versions = told.at("shard_layout").get_ref<const json::object_t&>();
    if (versions.size() != 1) return refused("no version");
    const auto& [version, members] = *versions.begin();
    chain::ShardLayout layout;
    if (version == "V0") {
        if (members.at("num_shards").get<std::uint64_t>() != 1) return refused("V0 of several shards");
        layout.shard_ids = {0};
        return layout;
    }
    members.at("boundary_accounts").get_to(layout.boundary_accounts);
    if (layout.boundary_accounts.size() >= kMostShards) return refused("too many shards");
    if (version == "V1") {
        layout.shard_ids.resize(layout.boundary_accounts.size() + 1);
        std::iota(layout.shard_ids.begin(), layout.shard_ids.end(), chain::ShardId{0});
    } else {
        members.at("shard_ids").get_to(layout.shard_ids);
    }
    if (layout.shard_ids.size() != layout.boundary_accounts.size() + 1)
        return refused("not one boundary less than shards");
    if (!is_ascending(layout.boundary_accounts)) return refused("its boundaries do not ascend");
    return layout;
}

}  // namespace

Decoder<chain::ShardLayout> shard_layout_decoder(std::optional<TreeSource::ShardWitness> witness) {
    return [witness = std::move(witness)](
               const std::string& body) -> base::Result<chain::ShardLayout, std::string> {
        auto layout = refused("not there");
        try {
            layout = read_layout(result_json(body));
        } catch (const json::exception& e) {
            return refused(e.what());
        }
        if (!layout || !witness) return layout;
        if (const auto shard = layout->shard_of(witness->account_id); shard != witness->shard_id)
            return refused("has " + witness->account_id + " in shard " + std::to_string(shard) +
                           ", whose transaction was in a chunk of shard " +
                           std::to_string(witness->shard_id));
        return layout;
    };
}

}  // namespace receiptd::rpc
