#include "sandbox/ledger/shard_layout.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace receiptd::sandbox {

namespace {

constexpr std::array<std::string_view, 8> kReadyMade = {
    "alice.sandbox",    "bob.sandbox",     "carol.sandbox",  "ft.sandbox",
    "receiver.sandbox", "relayer.sandbox", "script.sandbox", "yield.sandbox"};
constexpr std::array<std::uint64_t, 8> kFirstIds = {8, 9, 6, 7, 12, 13, 4, 10};
constexpr std::uint64_t kFurtherIds = 20;

// Beyond one shard for each ready-made account: the space of implicit accounts and of other names.
std::vector<std::string> further_boundaries(std::size_t count) {
    static constexpr std::string_view kMarks = "123456789abcdefghijklmnopqrstuvwxyz";
    std::vector<std::string> boundaries;
    for (std::size_t i = 0; i < count; ++i) boundaries.push_back(std::string(1, kMarks[i]) + "0");
    return boundaries;
}

}  // namespace

ShardLayout::ShardLayout(std::size_t shards) {
    if (shards == 0 || shards > kMaxShards) {
        throw std::invalid_argument("shards must be between 1 and " + std::to_string(kMaxShards) + ", not " +
                                    std::to_string(shards));
    }
    const std::size_t named = std::min(shards, kReadyMade.size());
    for (std::size_t i = 1; i < named; ++i) {
        boundary_accounts_.emplace_back(kReadyMade[i * kReadyMade.size() / named]);
    }
    for (std::string& boundary : further_boundaries(shards - named)) {
        boundary_accounts_.push_back(std::move(boundary));
    }
    std::sort(boundary_accounts_.begin(), boundary_accounts_.end());
    for (std::size_t i = 0; i < shards; ++i) {
        shard_ids_.push_back(i < kFirstIds.size() ? kFirstIds[i] : kFurtherIds + i);
    }
}

std::size_t ShardLayout::index_of(std::string_view account_id) const {
    const auto above = std::upper_bound(boundary_accounts_.begin(), boundary_accounts_.end(), account_id);
    return static_cast<std::size_t>(above - boundary_accounts_.begin());
}

std::size_t ShardLayout::index_of(const sim::Receipt& receipt) const {
    const auto* contract = std::get_if<sim::GlobalContractReceipt>(&receipt.body);
    return contract ? index_of_shard(contract->target_shard).value() : index_of(receipt.receiver_id);
}

std::optional<std::size_t> ShardLayout::index_of_shard(std::uint64_t shard_id) const {
    const auto found = std::find(shard_ids_.begin(), shard_ids_.end(), shard_id);
    if (found == shard_ids_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - shard_ids_.begin());
}

nlohmann::json ShardLayout::to_json() const {
    nlohmann::json id_to_index = nlohmann::json::object();
    nlohmann::json index_to_id = nlohmann::json::object();
    for (std::size_t i = 0; i < size(); ++i) {
        id_to_index[std::to_string(shard_ids_[i])] = i;
        index_to_id[std::to_string(i)] = shard_ids_[i];
    }
    return {{"V2",
             {{"boundary_accounts", boundary_accounts_},
              {"shard_ids", shard_ids_},
              {"id_to_index_map", std::move(id_to_index)},
              {"index_to_id_map", std::move(index_to_id)},
              {"shards_split_map", nullptr},
              {"shards_parent_map", nullptr},
              {"version", 2}}}};
}

}  // namespace receiptd::sandbox
