// `query` and its structured kin (rpc.md §6).
#include "chain/wire/base64.hpp"
#include "sandbox/gateway/block_reference.hpp"
#include "sandbox/gateway/query_request.hpp"
#include "sandbox/gateway/rpc_parts.hpp"
#include "sandbox/gateway/vm_error.hpp"

#include <algorithm>
#include <iterator>

namespace receiptd::sandbox::rpc {

namespace {

using Kind = QueryRequest::Kind;

constexpr std::size_t kMostKeys = 100;          // nearcore's default view_access_keys_limit
constexpr std::size_t kMaxStateBytes = 50'000;  // nearcore's default trie_viewer_state_size_limit

// Whether a missing key or a failing call is a result with `error` in it (rpc.md §6.1) or an error.
enum class Failures { soft, structured };

// One query at one block.
class View {
public:
    View(const RpcContext& context, LiveChain& live, const QueryRequest& query, Height at, Failures failures)
        : live_(live), query_(query), at_(at), failures_(failures), hash_(block_hash(context.chain, at)) {}

    RpcAnswer answer() const {
        switch (query_.kind) {
            case Kind::account: return account();
            case Kind::code: return code();
            case Kind::state: return state();
            case Kind::access_key: return access_key();
            case Kind::access_key_list: return access_key_list();
            case Kind::gas_key_nonces: return gas_key_nonces();
            case Kind::call: return call();
            case Kind::global_code_by_hash: return global_code(*chain::CryptoHash::parse(query_.code_hash));
            case Kind::global_code_by_account: return global_code(query_.account_id);
        }
        return internal_error("unreachable");
    }

private:
    RpcAnswer account() const {
        const auto found = live_.view_account(query_.account_id, at_);
        return found ? shown(*found) : unknown_account();
    }
    RpcAnswer code() const {
        if (!live_.view_account(query_.account_id, at_)) return unknown_account();
        const auto found = live_.view_code(query_.account_id, at_);
        return found ? shown(*found)
                     : error("NO_CONTRACT_CODE", {{"contract_account_id", query_.account_id}},
                             "Contract code for contract ID #" + query_.account_id +
                                 " has never been observed on the node");
    }
    RpcAnswer access_key() const {
        const auto found = live_.view_access_key(query_.account_id, query_.public_key, at_);
        if (found) return shown(*found);
        return unknown_access_key(query_.public_key.to_string(), block(), failures_ == Failures::structured);
    }
    RpcAnswer gas_key_nonces() const {
        if (const auto nonces = live_.gas_key_nonces(query_.account_id, query_.public_key, at_))
            return shown({{"nonces", *nonces}});
        const auto key = query_.public_key.to_string();
        return error("UNKNOWN_GAS_KEY", {{"public_key", key}},
                     "Gas key for public key " + key + " has never been observed on the node");
    }
    RpcAnswer global_code(const chain::wire::GlobalContractId& contract) const {
        if (const auto found = live_.view_global_code(contract, at_)) return shown(*found);
        const auto* hash = std::get_if<chain::CryptoHash>(&contract);
        const Json identifier =
            hash ? Json{{"hash", hash->to_string()}} : Json{{"account_id", query_.account_id}};
        return error("NO_GLOBAL_CONTRACT_CODE", {{"identifier", identifier}},
                     "Global contract code with identifier " + identifier.dump() +
                         " has never been observed on the node");
    }
    RpcAnswer call() const {
        if (!live_.view_account(query_.account_id, at_)) return unknown_account();
        const auto called = live_.call_function(query_.account_id, query_.method_name, query_.args, at_);
        if (called.error.empty()) return shown({{"result", called.value}, {"logs", called.logs}});
        if (failures_ == Failures::soft) return soft(called.error, called.logs);
        const Json info{{"vm_error", function_call_error(called.error)}, {"error", called.error}};
        return error("CONTRACT_EXECUTION_ERROR", info, "Function call returned an error: " + called.error);
    }
    RpcAnswer access_key_list() const;
    RpcAnswer state() const;

    Json block() const { return {{"block_height", at_}, {"block_hash", hash_}}; }
    RpcAnswer shown(Json fields) const {
        fields.update(block());
        return result_of(fields);
    }
    RpcAnswer soft(const std::string& text, const std::vector<std::string>& logs) const {
        return shown({{"error", text}, {"logs", logs}});
    }
    RpcAnswer error(const char* cause, Json info, const std::string& data) const {
        info.update(block());
        return handler_error(cause, info, data);
    }
    RpcAnswer unknown_account() const { return sandbox::unknown_account(query_.account_id, block()); }

    LiveChain& live_;
    const QueryRequest& query_;
    Height at_;
    Failures failures_;
    std::string hash_;
};

// As nearcore 2.14: a list of more keys is given in pages only.
RpcAnswer View::access_key_list() const {
    const Json all = live_.view_access_key_list(query_.account_id, at_);
    const bool is_page = query_.after_public_key || query_.limit;
    if (!is_page && all.size() > kMostKeys)
        return error("TOO_MANY_ACCESS_KEYS",
                     {{"requested_account_id", query_.account_id}, {"limit", kMostKeys}},
                     "Account " + query_.account_id + " has more than " + std::to_string(kMostKeys) +
                         " access keys: ask for them in pages");
    auto from = all.begin();
    if (query_.after_public_key) {
        const auto is_it = [&](const Json& key) { return key["public_key"] == *query_.after_public_key; };
        const auto found = std::find_if(all.begin(), all.end(), is_it);
        from = found == all.end() ? found : std::next(found);
    }
    const auto limit = std::min<std::uint64_t>(query_.limit.value_or(kMostKeys), kMostKeys);
    Json keys = Json::array();
    for (; from != all.end() && keys.size() < limit; ++from) keys.push_back(*from);
    Json fields{{"keys", keys}};
    if (from != all.end() && !keys.empty()) fields["last_key"] = keys.back()["public_key"];
    return shown(std::move(fields));
}

RpcAnswer View::state() const {
    if (!live_.view_account(query_.account_id, at_)) return unknown_account();
    const Json all = live_.view_state(query_.account_id, chain::text_of(query_.prefix), at_);
    Json values = Json::array();
    std::size_t bytes = 0;
    bool more = false;
    for (const auto& each : all) {
        const auto key =
            chain::base64_decode(each["key"].get_ref<const std::string&>()).value_or(chain::Bytes());
        if (query_.after_key && key <= *query_.after_key) continue;
        more = query_.limit && values.size() >= *query_.limit;
        if (more) break;
        bytes += key.size() + each["value"].get_ref<const std::string&>().size() / 4 * 3;
        values.push_back({{"key", each["key"]}, {"value", each["value"]}});
    }
    if (bytes > kMaxStateBytes)
        return error("TOO_LARGE_CONTRACT_STATE", {{"contract_account_id", query_.account_id}},
                     "State of contract " + query_.account_id + " is too large to be viewed");
    Json fields{{"values", values}};
    if (query_.limit) fields["last_key"] = more && !values.empty() ? values.back()["key"] : Json();
    if (query_.include_proof) fields["proof"] = Json::array();
    return shown(std::move(fields));
}

// `query` says more of a missing block than other methods do (rpc.md §6.2).
RpcAnswer missing(const MissingBlock& block) {
    if (!block.collected) {
        const bool by_height = block.block_id.is_number();
        const auto name = by_height ? block.block_id.dump() : block.block_id.get<std::string>();
        return handler_error("UNKNOWN_BLOCK", {{"block_reference", {{"block_id", block.block_id}}}},
                             std::string("DB Not Found Error: BLOCK ") +
                                 (by_height ? "HEIGHT: " : "HEADER: ") + name + " \n Cause: Unknown");
    }
    const auto height = *block.collected;
    return handler_error(
        "GARBAGE_COLLECTED_BLOCK", {{"block_height", height}, {"block_hash", block.collected_hash}},
        "The data for block #" + std::to_string(height) +
            " is garbage collected on this node, use an archival node to fetch historical data");
}

RpcAnswer view(const RpcContext& context, LiveChain& live, const QueryOrError& read,
               const BlockChoice& chosen, Failures failures) {
    if (const auto* refused = std::get_if<RpcAnswer>(&read)) return *refused;
    if (const auto* block = std::get_if<MissingBlock>(&chosen)) return missing(*block);
    const auto* height = std::get_if<Height>(&chosen);
    if (!height) return refusal(chosen);
    return View(context, live, std::get<QueryRequest>(read), *height, failures).answer();
}

}  // namespace

RpcAnswer query(const RpcContext& context, const Json& params, LiveChain& live) {
    if (params.is_array())
        return view(context, live, read_legacy_query(params), context.window.tip, Failures::soft);
    if (!params.is_object()) return failed_args("expected [path, data] or an object with `request_type`");
    const auto type = params.find("request_type");
    if (type == params.end() || !type->is_string()) return failed_args("missing field `request_type`");
    return view(context, live, read_query(type->get_ref<const std::string&>(), params),
                choose_block(context, params), Failures::soft);
}

RpcAnswer structured_query(const RpcContext& context, const Json& params, LiveChain& live,
                           std::string_view request_type) {
    if (!params.is_object()) return failed_args("invalid type, expected a params object");
    return view(context, live, read_query(request_type, params), choose_block(context, params),
                Failures::structured);
}

}  // namespace receiptd::sandbox::rpc
