#include "sandbox/gateway/told_outcomes.hpp"

#include "chain/wire/hash.hpp"

namespace receiptd::sandbox {
namespace {

using nlohmann::json;

// Every outcome in a tree, or in a whole block.
std::vector<json*> outcomes_in(json& result) {
    std::vector<json*> outcomes;
    if (!result.is_object()) return outcomes;
    if (result.contains("receipts_outcome"))
        for (auto& each : result["receipts_outcome"]) outcomes.push_back(&each["outcome"]);
    if (result.contains("shards"))
        for (auto& shard : result["shards"])
            for (auto& each : shard["receipt_execution_outcomes"])
                outcomes.push_back(&each["execution_outcome"]["outcome"]);
    return outcomes;
}

bool is_whole_block(const json& result) { return result.is_object() && result.contains("shards"); }

std::string another_id(const std::string& than) {
    return chain::sha256(chain::bytes_of("another than " + than)).to_string();
}

json did_not() {
    static const json kFailure = {
        {"Failure",
         {{"ActionError",
           {{"index", 0},
            {"kind",
             {{"FunctionCallError", {{"ExecutionError", "Smart contract panicked: it did not"}}}}}}}}}};
    return kFailure;
}

}  // namespace

bool tell_false_outcome(const Lie& lie, json& result) {
    const bool fails = lie.text("status") == "failure";
    bool told = false;
    for (json* outcome : outcomes_in(result)) {
        json& status = (*outcome)["status"];
        if (lie.has("log"))
            (*outcome)["logs"].push_back(lie.text("log"));
        else if (status.is_object() && status.contains(fails ? "SuccessValue" : "Failure"))
            status = fails ? did_not() : json{{"SuccessValue", ""}};
        else
            continue;
        told = true;
    }
    return told;
}

bool tell_false_tx_hash(const Lie& lie, json& result) {
    bool told = false;
    if (!is_whole_block(result)) return false;
    const auto other = lie.has("tx_hash") ? lie.text("tx_hash") : another_id("transaction");
    for (auto& shard : result["shards"])
        for (auto& each : shard["receipt_execution_outcomes"]) {
            each["tx_hash"] = other;
            told = true;
        }
    return told;
}

bool tell_outcome_left_out(const Lie& lie, json& result) {
    if (!is_whole_block(result)) return false;
    bool told = false;
    for (auto& shard : result["shards"]) {
        if (!shard["chunk"].is_object()) continue;
        json& all = lie.text("of") == "receipt" ? shard["receipt_execution_outcomes"]
                                                : shard["chunk"]["transactions"];
        if (!all.is_array() || all.empty()) continue;
        all.erase(all.size() - 1);
        told = true;
    }
    return told;
}

bool tell_outcome_invented(const Lie&, json& result) {
    if (!is_whole_block(result)) return false;
    bool told = false;
    for (auto& shard : result["shards"]) {
        json& all = shard["receipt_execution_outcomes"];
        if (!all.is_array() || all.empty()) continue;
        json made = all.back();
        json& outcome = made["execution_outcome"];
        const auto id = another_id(outcome["id"].get<std::string>());
        outcome["id"] = id;
        outcome["outcome"]["status"] = did_not();
        outcome["outcome"]["receipt_ids"] = json::array();
        made["receipt"]["receipt_id"] = id;
        all.push_back(std::move(made));
        told = true;
    }
    return told;
}

}  // namespace receiptd::sandbox
