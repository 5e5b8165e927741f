// Answers questions about accounts, and about the state of the chain as a whole (rpc.md §6-8).
#include "sandbox/ledger/action_json.hpp"
#include "sandbox/ledger/config_json.hpp"
#include "sandbox/ledger/ledger.hpp"
#include "sandbox/sim/apply.hpp"

#include "chain/wire/base64.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {

namespace {

const char* touch_name(sim::Touch touch) {
    switch (touch) {
        case sim::Touch::account: return "account_touched";
        case sim::Touch::access_key: return "access_key_touched";
        case sim::Touch::data: return "data_touched";
        case sim::Touch::contract_code: return "contract_code_touched";
    }
    return "";
}

std::optional<Json> code_json(const std::optional<chain::Bytes>& code) {
    if (!code) return std::nullopt;
    return Json{{"code_base64", chain::base64_encode(*code)}, {"hash", chain::sha256(*code).to_string()}};
}

}  // namespace

std::optional<Json> Ledger::view_account(std::string_view account_id, Height at) const {
    const auto account = shard_of(account_id).state.account(account_id, at);
    if (!account) return std::nullopt;
    Json json = {{"amount", base::to_string(account->amount)},
                 {"locked", base::to_string(account->locked)},
                 {"code_hash", account->code_hash.to_string()},
                 {"storage_usage", account->storage_usage},
                 {"storage_paid_at", 0},
                 {"global_contract_hash", nullptr},
                 {"global_contract_account_id", nullptr}};
    if (account->global_contract) {
        if (const auto* hash = std::get_if<CryptoHash>(&*account->global_contract)) {
            json["global_contract_hash"] = hash->to_string();
        } else {
            json["global_contract_account_id"] = std::get<std::string>(*account->global_contract);
        }
    }
    return json;
}

std::optional<Json> Ledger::view_access_key(std::string_view account_id, const chain::PublicKey& key,
                                            Height at) const {
    const auto access_key = shard_of(account_id).state.access_key(account_id, key, at);
    if (!access_key) return std::nullopt;
    return access_key_json(*access_key);
}

std::optional<std::vector<std::uint64_t>> Ledger::gas_key_nonces(std::string_view account_id,
                                                                 const chain::PublicKey& key,
                                                                 Height at) const {
    const auto access_key = shard_of(account_id).state.access_key(account_id, key, at);
    if (!access_key || !sim::gas_key_info(*access_key)) return std::nullopt;
    return access_key->nonces;
}

Json Ledger::view_access_key_list(std::string_view account_id, Height at) const {
    Json list = Json::array();
    for (const auto& [key, access_key] : shard_of(account_id).state.access_keys(account_id, at)) {
        list.push_back({{"public_key", key.view_handle()}, {"access_key", access_key_json(access_key)}});
    }
    return list;
}

std::optional<Json> Ledger::view_code(std::string_view account_id, Height at) const {
    return code_json(shard_of(account_id).state.code(account_id, at));
}

// As the first shard has it.
std::optional<Json> Ledger::view_global_code(const chain::wire::GlobalContractId& contract, Height at) const {
    return code_json(shards_.front().state.global_contract(contract, at));
}

Json Ledger::view_state(std::string_view account_id, std::string_view prefix, Height at) const {
    Json list = Json::array();
    for (const auto& [key, value] : shard_of(account_id).state.data_with_prefix(account_id, prefix, at)) {
        list.push_back({{"key", chain::base64_encode(chain::bytes_of(key))},
                        {"value", chain::base64_encode(chain::bytes_of(value))}});
    }
    return list;
}

ViewCallResult Ledger::call_function(std::string_view account_id, std::string_view method_name,
                                     const chain::Bytes& args, Height at) const {
    const BlockRecord& block = store_.at_or_below(at);
    const sim::ViewCall call{std::string(account_id), std::string(method_name), args};
    sim::ViewResult result = sim::call_view(shard_of(account_id).state, block.height,
                                            context_of(block, block.gas_price), call, contracts_);
    return {std::move(result.value), std::move(result.logs), std::move(result.error)};
}

Json Ledger::validators(Height at) const {
    return validators_json(store_, store_.at_or_below(at), validators_);
}

Json Ledger::protocol_config(Height at) const {
    return protocol_config_json(options_, store_.at_or_below(at));
}

Json Ledger::genesis_config() const { return genesis_config_json(options_, store_.genesis(), validators_); }

Json Ledger::changes_in_block(Height height) const {
    Json list = Json::array();
    for (const Shard& shard : shards_) {
        for (const auto& [account_id, touch] : shard.state.touched(height)) {
            list.push_back({{"type", touch_name(touch)}, {"account_id", account_id}});
        }
    }
    return list;
}

}  // namespace receiptd::sandbox
