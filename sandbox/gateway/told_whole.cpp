#include "sandbox/gateway/told_whole.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <string_view>

namespace receiptd::sandbox {
namespace {

using nlohmann::json;

// One of so many: always the same.
bool chooses(const Lie& lie, const std::string& id) {
    return std::accumulate(id.begin(), id.end(), 0U) % lie.number("every") == 0;
}

// The named one, or one of so many.
bool chooses(const Lie& lie, const char* name, const std::string& id) {
    return lie.has(name) ? lie.text(name) == id : chooses(lie, id);
}

bool tell_null_block(const Lie& lie, json& block) {
    const auto height = block["block"]["header"]["height"].get<std::uint64_t>();
    if (lie.has("height") ? lie.number("height") != height : height % lie.number("every") != 0) return false;
    block = nullptr;
    return true;
}

bool tell_null_outcome(const Lie& lie, json& block) {
    bool told = false;
    for (auto& shard : block["shards"]) {
        if (shard["chunk"].is_null()) continue;
        for (auto& each : shard["chunk"]["transactions"]) {
            if (!chooses(lie, "tx_hash", each["transaction"]["hash"])) continue;
            each["outcome"] = nullptr;
            told = true;
        }
    }
    return told;
}

bool tell_missing_outcome(const Lie& lie, json& block) {
    bool told = false;
    for (auto& shard : block["shards"]) {
        auto& executed = shard["receipt_execution_outcomes"];
        const auto left = std::remove_if(executed.begin(), executed.end(), [&](const json& each) {
            return chooses(lie, "receipt_id", each["execution_outcome"]["id"]);
        });
        told = told || left != executed.end();
        executed.erase(left, executed.end());
    }
    return told;
}

void sort_by_id(json& executed) {
    std::sort(executed.begin(), executed.end(), [](const json& a, const json& b) {
        return a["execution_outcome"]["id"] < b["execution_outcome"]["id"];
    });
}

void list_twice(json& receipts) {
    const json once = receipts;
    receipts.insert(receipts.end(), once.begin(), once.end());
}

// The lists of a chunk as nearcore's indexer of that version has them.
bool tell_dialect(const Lie& lie, json& block) {
    const auto version = lie.text("version");
    for (auto& shard : block["shards"]) {
        if (lie.members["sorted"] == true) sort_by_id(shard["receipt_execution_outcomes"]);
        auto& chunk = shard["chunk"];
        if (chunk.is_null()) continue;
        if (version == "2.9") {
            const json locals = chunk["local_receipts"];
            chunk["receipts"].insert(chunk["receipts"].begin(), locals.begin(), locals.end());
            chunk.erase("local_receipts");
        }
        if (version != "2.12") chunk.erase("instant_receipts");
        if (lie.members["twice"] == true) list_twice(chunk["receipts"]);
    }
    return true;
}

void add_chosen(const Lie& lie, const char* id_in, const char* id, const json& told, json& again) {
    for (const auto& each : told)
        if (chooses(lie, each[id_in][id].get<std::string>())) again.push_back(each);
}

// Beside its own outcomes those of an earlier block.
bool tell_outcome_again(const Lie& lie, const Chain& chain, json& block) {
    const auto height = block["block"]["header"]["height"].get<std::uint64_t>();
    const auto after = lie.number("after");
    const auto earlier = height > after ? chain.whole_block(height - after) : nullptr;
    if (!earlier) return false;
    for (const auto& told : json::parse(*earlier)["shards"])
        for (auto& shard : block["shards"]) {
            if (shard["shard_id"] != told["shard_id"]) continue;
            add_chosen(lie, "execution_outcome", "id", told["receipt_execution_outcomes"],
                       shard["receipt_execution_outcomes"]);
            if (lie.members["transactions"] == true && !told["chunk"].is_null() && !shard["chunk"].is_null())
                add_chosen(lie, "transaction", "hash", told["chunk"]["transactions"],
                           shard["chunk"]["transactions"]);
        }
    return true;
}

struct OfWhole {
    std::string_view lie;
    bool (*tell)(const Lie& lie, json& block);
};
constexpr std::array kOfWholeBlocks{
    OfWhole{"null_outcome", tell_null_outcome},
    OfWhole{"missing_outcome", tell_missing_outcome},
    OfWhole{"dialect", tell_dialect},
    OfWhole{"null_block", tell_null_block},
};

}  // namespace

void retell_whole(Lies& lies, const Chain& chain, json& block) {
    const auto is_whole = [&block] { return block.is_object() && block.contains("shards"); };
    for (Lie& lie : lies.all())
        if (is_whole() && lie.name == "outcome_again" && tell_outcome_again(lie, chain, block))
            lie.told = true;
    for (const auto& [name, tell] : kOfWholeBlocks) {
        for (Lie& lie : lies.all()) {
            if (is_whole() && lie.name == name && tell(lie, block)) lie.told = true;
        }
    }
}

}  // namespace receiptd::sandbox
