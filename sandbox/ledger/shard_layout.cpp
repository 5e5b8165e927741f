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

ShardLayout ShardLayout::split_at(const std::string& boundary_account, int version) const {
    const auto above =
        std::lower_bound(boundary_accounts_.begin(), boundary_accounts_.end(), boundary_account);
    if (above != boundary_accounts_.end() && *above == boundary_account)
        throw std::invalid_argument("no shard can be split at " + boundary_account +
                                    ": it is a boundary already");
    if (size() == kMaxShards)
        throw std::invalid_argument("more than " + std::to_string(kMaxShards) + " shards cannot be");
    const auto index = above - boundary_accounts_.begin();
    const std::uint64_t highest = *std::max_element(shard_ids_.begin(), shard_ids_.end());
    ShardLayout next = *this;
    next.version_ = version;
    next.split_ = ShardSplit{shard_ids_[static_cast<std::size_t>(index)], boundary_account};
    next.children_[next.split_->shard_id] = {highest + 1, highest + 2};
    next.boundary_accounts_.insert(next.boundary_accounts_.begin() + index, boundary_account);
    next.shard_ids_[static_cast<std::size_t>(index)] = highest + 1;
    next.shard_ids_.insert(next.shard_ids_.begin() + index + 1, highest + 2);
    return next;
}

std::size_t ShardLayout::index_of(std::string_view account_id) const {
    const auto above = std::upper_bound(boundary_accounts_.begin(), boundary_accounts_.end(), account_id);
    return static_cast<std::size_t>(above - boundary_accounts_.begin());
}

std::size_t ShardLayout::index_of(const sim::Receipt& receipt) const {
    const auto* contract = std::get_if<sim::GlobalContractReceipt>(&receipt.body);
    return contract ? indexes_from(contract->target_shard).at(0) : index_of(receipt.receiver_id);
}

std::optional<std::size_t> ShardLayout::index_of_shard(std::uint64_t shard_id) const {
    const auto found = std::find(shard_ids_.begin(), shard_ids_.end(), shard_id);
    if (found == shard_ids_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - shard_ids_.begin());
}

std::vector<std::size_t> ShardLayout::indexes_from(std::uint64_t shard_id) const {
    if (const auto index = index_of_shard(shard_id)) return {*index};
    std::vector<std::size_t> indexes;
    if (const auto found = children_.find(shard_id); found != children_.end()) {
        for (const std::uint64_t child : found->second) {
            for (const std::size_t index : indexes_from(child)) indexes.push_back(index);
        }
    }
    return indexes;
}

std::size_t ShardLayout::index_before(std::size_t index) const {
    const std::size_t first_child = index_of_shard(children_.at(split_.value().shard_id)[0]).value();
    return index > first_child ? index - 1 : index;
}

nlohmann::json ShardLayout::to_json() const {
    nlohmann::json id_to_index = nlohmann::json::object();
    nlohmann::json index_to_id = nlohmann::json::object();
    for (std::size_t i = 0; i < size(); ++i) {
        id_to_index[std::to_string(shard_ids_[i])] = i;
        index_to_id[std::to_string(i)] = shard_ids_[i];
    }
    nlohmann::json json = {{"boundary_accounts", boundary_accounts_},
                           {"shard_ids", shard_ids_},
                           {"id_to_index_map", std::move(id_to_index)}};
    if (version_ == 3) {
        for (const auto& [parent, children] : children_)
            json["shards_split_map"][std::to_string(parent)] = children;
        json["last_split"] = split_->shard_id;
        return {{"V3", std::move(json)}};
    }
    json["index_to_id_map"] = std::move(index_to_id);
    json["shards_split_map"] = json["shards_parent_map"] = nullptr;
    for (std::size_t i = 0; split_ && i < size(); ++i) {
        const auto& last = children_.at(split_->shard_id);
        const bool is_child = std::find(last.begin(), last.end(), shard_ids_[i]) != last.end();
        const std::uint64_t parent = is_child ? split_->shard_id : shard_ids_[i];
        json["shards_split_map"][std::to_string(parent)].push_back(shard_ids_[i]);
        json["shards_parent_map"][std::to_string(shard_ids_[i])] = parent;
    }
    json["version"] = 2;
    return {{"V2", std::move(json)}};
}

}  // namespace receiptd::sandbox
