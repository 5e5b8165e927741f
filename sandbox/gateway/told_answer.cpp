#include "sandbox/gateway/told_answer.hpp"

#include "chain/wire/hash.hpp"
#include "sandbox/gateway/faults.hpp"
#include "sandbox/gateway/gzip.hpp"
#include "sandbox/gateway/query_request.hpp"
#include "sandbox/gateway/replies.hpp"
#include "sandbox/gateway/rpc_methods.hpp"
#include "sandbox/gateway/told_outcomes.hpp"
#include "sandbox/gateway/told_whole.hpp"

#include <algorithm>
#include <array>

namespace receiptd::sandbox {
namespace {

using nlohmann::json;

using Kind = QueryRequest::Kind;

constexpr std::string_view kResult = "\"result\":";
constexpr std::string_view kView = "EXPERIMENTAL_view_";

// A true answer on its way to become another one.
struct Telling {
    const std::string& method;  // or the path of a page
    json result;
    const json* params = nullptr;
    const LiveChain* live = nullptr;
    std::optional<QueryRequest> query{};  // if the call is one
    std::optional<RpcAnswer> in_place{};  // of the result

    bool is(std::string_view name) const { return method == name; }
    bool is_config() const { return method.find("_config") != std::string::npos; }
    bool is_structured() const { return method.starts_with(kView); }
    // Whether this is a query of that kind about the account of the lie, or about any if it names none.
    bool asks(const Lie& lie, Kind kind) const {
        if (!query || query->kind != kind) return false;
        return !lie.has("account") || lie.text("account") == query->account_id;
    }
};

std::optional<QueryRequest> query_of(const RpcRequest& call) {
    std::string type;
    if (call.method.starts_with(kView))
        type = call.method.substr(kView.size() - std::string_view("view_").size());
    if (call.method == "query" && call.params.is_object()) type = call.params.value("request_type", "");
    const bool legacy = call.method == "query" && call.params.is_array();
    if (type.empty() && !legacy) return std::nullopt;
    auto read = legacy ? read_legacy_query(call.params) : read_query(type, call.params);
    auto* query = std::get_if<QueryRequest>(&read);
    return query ? std::optional(std::move(*query)) : std::nullopt;
}

bool asks_for_status(const std::string& method) {
    return method == "tx" || method == "tx_status" || method == "EXPERIMENTAL_tx_status";
}

std::string other_genesis() { return chain::sha256(chain::bytes_of("another genesis")).to_string(); }

// Each says whether it has told the lie.
bool tell_network(const Lie& lie, Telling& telling) {
    json& result = telling.result;
    const bool is_status = telling.is("status") || telling.is("/status");
    if (!is_status && !telling.is_config()) return false;
    if (lie.has("chain_id")) result["chain_id"] = lie.text("chain_id");
    const bool own_blocks = lie.members["blocks"] == true;  // then the genesis block has another hash already
    if (lie.has("genesis_hash"))
        result["genesis_hash"] = lie.text("genesis_hash");
    else if (is_status && !own_blocks)
        result["genesis_hash"] = other_genesis();
    return true;
}

bool tell_balance(const Lie& lie, Telling& telling) {
    if (!telling.asks(lie, Kind::account)) return false;
    telling.result["amount"] = lie.text("amount");
    return true;
}

void raise_nonce(const Lie& lie, json& key) {
    key["nonce"] =
        lie.has("nonce") ? lie.number("nonce") : key["nonce"].get<std::uint64_t>() + lie.number("ahead");
}

bool tell_nonce(const Lie& lie, Telling& telling) {
    if (telling.asks(lie, Kind::access_key) && telling.result.contains("nonce")) {
        raise_nonce(lie, telling.result);
        return true;
    }
    if (!telling.asks(lie, Kind::access_key_list)) return false;
    for (auto& each : telling.result["keys"]) raise_nonce(lie, each["access_key"]);
    return true;
}

// The members of a query's result that tell its block; an error has them in its info.
json block_of(const json& result) {
    return {{"block_height", result["block_height"]}, {"block_hash", result["block_hash"]}};
}

bool tell_missing_key(const Lie& lie, Telling& telling) {
    if (!telling.asks(lie, Kind::access_key)) return false;
    telling.in_place = unknown_access_key(telling.query->public_key.to_string(), block_of(telling.result),
                                          telling.is_structured());
    return true;
}

bool tell_missing_account(const Lie& lie, Telling& telling) {
    if (telling.asks(lie, Kind::account) || telling.asks(lie, Kind::code) || telling.asks(lie, Kind::state)) {
        telling.in_place = unknown_account(telling.query->account_id, block_of(telling.result));
        return true;
    }
    return tell_missing_key(lie, telling);
}

bool tell_gas_price(const Lie& lie, Telling& telling) {
    if (!telling.is("gas_price")) return false;
    telling.result["gas_price"] = lie.text("price");
    return true;
}

bool tell_validity_period(const Lie& lie, Telling& telling) {
    if (!telling.is_config()) return false;
    telling.result["transaction_validity_period"] = lie.number("blocks");
    return true;
}

bool tell_earliest_height(const Lie& lie, Telling& telling) {
    if (!telling.is("status") && !telling.is("/status")) return false;
    telling.result["sync_info"]["earliest_block_height"] = lie.number("height");
    return true;
}

bool is_untracked(const Lie& lie, std::uint64_t shard_id) {
    const json& shards = lie.members["shards"];
    return shards.is_null() || std::find(shards.begin(), shards.end(), shard_id) != shards.end();
}

// The answer of a host that does not track the shard (rpc.md §5.2); nullopt: the call does not ask of a
// shard.
std::optional<RpcAnswer> untracked(const Lie& lie, const Telling& telling) {
    if (telling.is("chunk")) {
        const json& header = telling.result["header"];
        if (!is_untracked(lie, header["shard_id"])) return std::nullopt;
        return unknown_chunk(header["chunk_hash"].get_ref<const std::string&>());
    }
    if (telling.query) {
        const auto shard_id = telling.live->shard_of_account(telling.query->account_id);
        if (!is_untracked(lie, shard_id)) return std::nullopt;
        return unavailable_shard(shard_id);
    }
    const auto transaction = telling.result.find("transaction");
    if (!asks_for_status(telling.method) || transaction == telling.result.end()) return std::nullopt;
    if (!is_untracked(lie, telling.live->shard_of_account((*transaction)["signer_id"].get<std::string>())))
        return std::nullopt;
    const bool waits = telling.params->is_object() && telling.params->value("wait_until", "NONE") != "NONE";
    return waits ? timeout() : result_of({{"final_execution_status", "NONE"}});
}

// A whole block without them: their chunks are null, which a shard without a new chunk has, too.
bool leave_out_shards(const Lie& lie, json& whole) {
    auto& tracked = whole["tracked_shards"];
    tracked = json::array();
    for (auto& shard : whole["shards"]) {
        if (!is_untracked(lie, shard["shard_id"])) {
            tracked.push_back(shard["shard_id"]);
            continue;
        }
        shard["chunk"] = nullptr;
        shard["receipt_execution_outcomes"] = json::array();
    }
    return tracked.size() < whole["shards"].size();
}

bool tell_untracked_shards(const Lie& lie, Telling& telling) {
    if (telling.is(kIndexerBlock)) return leave_out_shards(lie, telling.result);
    telling.in_place = untracked(lie, telling);
    return telling.in_place.has_value();
}

// Replaces each member of that name, however deep. False: there is none.
bool rename(json& value, std::string_view member, const std::string& name) {
    bool found = false;
    for (auto each = value.begin(); value.is_structured() && each != value.end(); ++each) {
        if (value.is_object() && each.key() == member && each->is_string()) {
            *each = name;
            found = true;
        } else if (each->is_structured() && rename(*each, member, name)) {
            found = true;
        }
    }
    return found;
}

bool tell_long_names(const Lie& lie, Telling& telling) {
    const std::string name(lie.number("bytes"), 'a');
    const bool authors = rename(telling.result, "author", name);
    return rename(telling.result, "executor_id", name) || authors;
}

// A JSON text that no document of ours can hold (half a surrogate pair, a number beyond all types) stands in
// the answer after it was written: with_odd_members() puts it there.
std::string stand_in(const std::string& member) { return "@odd_members:" + member; }

// `hash`: of the objects that are meant; empty: all are.
bool stand_in_for(json& value, const json& members, const std::string& hash) {
    bool found = false;
    const bool is_meant = value.is_object() && (hash.empty() || value.value("hash", json()) == hash);
    for (auto each = value.begin(); value.is_structured() && each != value.end(); ++each) {
        if (is_meant && members.contains(each.key())) {
            *each = stand_in(each.key());
            found = true;
        } else if (each->is_structured() && stand_in_for(*each, members, hash)) {
            found = true;
        }
    }
    return found;
}

bool tell_odd_members(const Lie& lie, Telling& telling) {
    return stand_in_for(telling.result, lie.members["values"], lie.has("hash") ? lie.text("hash") : "");
}

std::string with_odd_members(std::string text, const Lies& lies) {
    for (const Lie& lie : lies.all()) {
        if (lie.name != "odd_members" || !lie.told) continue;
        for (const auto& [member, value] : lie.members["values"].items()) {
            const std::string place = json(stand_in(member)).dump();
            const auto& odd = value.get_ref<const std::string&>();
            for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at + odd.size()))
                text.replace(at, place.size(), odd);
        }
    }
    return text;
}

bool tell_doubled_shard(const Lie&, Telling& telling) {
    const bool whole = telling.result.is_object() && telling.result.contains("shards");
    if (!whole && !telling.is("block")) return false;
    json& chunks = (whole ? telling.result["block"] : telling.result)["chunks"];
    if (chunks.empty()) return false;
    chunks.push_back(json(chunks.front()));
    if (whole && !telling.result["shards"].empty())
        telling.result["shards"].push_back(json(telling.result["shards"].front()));
    return true;
}

bool tell_large_tree(const Lie& lie, Telling& telling) {
    const auto receipts = telling.result.find("receipts");
    if (!asks_for_status(telling.method) || receipts == telling.result.end() || receipts->empty())
        return false;
    json& receipt = receipts->front()["receipt"];
    if (!receipt.contains("Action")) return false;
    json inputs = json::array();
    for (std::uint64_t i = 0; i < lie.number("inputs"); ++i)
        inputs.push_back(chain::sha256(chain::bytes_of("input " + std::to_string(i))).to_string());
    receipt["Action"]["input_data_ids"] = std::move(inputs);
    return true;
}

bool tell_unfinished_tree(const Lie& lie, Telling& telling) {
    const auto outcomes = telling.result.find("receipts_outcome");
    if (!asks_for_status(telling.method) || outcomes == telling.result.end() || outcomes->empty())
        return false;
    outcomes->erase(outcomes->size() - 1);
    telling.result["padding"] = std::string(lie.number("bytes"), 'a');
    const auto receipts = telling.result.find("receipts");
    if (receipts == telling.result.end() || receipts->empty()) return true;
    for (std::uint64_t i = 0; i < lie.number("receipts"); ++i) {
        json invented = receipts->front();
        invented["receipt_id"] = chain::sha256(chain::bytes_of("receipt " + std::to_string(i))).to_string();
        receipts->push_back(std::move(invented));
    }
    return true;
}

template <bool (*tell)(const Lie& lie, json& result)>
bool in_result(const Lie& lie, Telling& telling) {
    return tell(lie, telling.result);
}

struct Retelling {
    std::string_view lie;
    bool (*tell)(const Lie& lie, Telling& telling);
};
constexpr std::array kRetellings{
    Retelling{"network", tell_network},
    Retelling{"balance", tell_balance},
    Retelling{"nonce", tell_nonce},
    Retelling{"missing_key", tell_missing_key},
    Retelling{"missing_account", tell_missing_account},
    Retelling{"gas_price", tell_gas_price},
    Retelling{"validity_period", tell_validity_period},
    Retelling{"earliest_height", tell_earliest_height},
    Retelling{"untracked_shards", tell_untracked_shards},
    Retelling{"long_names", tell_long_names},
    Retelling{"odd_members", tell_odd_members},
    Retelling{"doubled_shard", tell_doubled_shard},
    Retelling{"large_tree", tell_large_tree},
    Retelling{"unfinished_tree", tell_unfinished_tree},
    Retelling{"false_outcome", in_result<tell_false_outcome>},
    Retelling{"outcome_left_out", in_result<tell_outcome_left_out>},
    Retelling{"outcome_invented", in_result<tell_outcome_invented>},
    Retelling{"false_tx_hash", in_result<tell_false_tx_hash>},
};

void retell(Lies& lies, Telling& telling) {
    for (Lie& lie : lies.all()) {
        for (const auto& [name, tell] : kRetellings) {
            if (lie.name == name && tell(lie, telling)) lie.told = true;
        }
    }
}

// The hash that the call asks for; empty: it brings the transaction's bytes.
std::string hash_asked_for(const RpcRequest& call) {
    const json& params = call.params;
    const json hash = params.is_array() && params.size() == 2 ? params[0]
                      : params.is_object()                    ? params.value("tx_hash", json())
                                                              : json();
    return hash.is_string() ? hash.get<std::string>() : "";
}

net::ServerReply gzip_bomb(std::size_t members, std::size_t bytes_of_each) {
    const std::string member = gzip(std::string(bytes_of_each, ' '));
    std::string body;
    body.reserve(members * member.size());
    for (std::size_t i = 0; i < members; ++i) body += member;
    net::ServerReply made = json_reply(std::move(body));
    made.headers.push_back({"Content-Encoding", "gzip"});
    return made;
}

bool brings_transaction(const RpcRequest& call) {
    const bool judged =
        call.method == "send_tx" || call.method == "broadcast_tx_commit" || asks_for_status(call.method);
    return judged && hash_asked_for(call).empty();
}

}  // namespace

std::optional<net::ServerReply> hostile_reply(Lies& lies, std::string_view label, const RpcRequest* call) {
    for (Lie& lie : lies.all()) {
        if (!lie.members.contains("method") || !is_meant(label, lie.text("method"))) continue;
        lie.told = true;
        if (lie.name == "forbidden") return reply(lie.members["status"], "text/plain", "Forbidden");
        if (lie.name == "gzip_bomb") return gzip_bomb(lie.number("members"), lie.number("bytes"));
        const std::string nest =
            std::string(lie.number("levels"), '[') + std::string(lie.number("levels"), ']');
        return json_reply(call ? envelope(result(nest), call->id_json) : nest);
    }
    return std::nullopt;
}

std::optional<RpcAnswer> unserved(Lies& lies, const RpcRequest& call) {
    Lie* invalid = lies.find("invalid_transaction");
    if (invalid && brings_transaction(call)) {
        invalid->told = true;
        return invalid_transaction(invalid->members["error"]);
    }
    Lie* unknown = lies.find("unknown_transaction");
    const std::string hash = unknown && asks_for_status(call.method) ? hash_asked_for(call) : "";
    if (hash.empty() || (unknown->has("tx_hash") && unknown->text("tx_hash") != hash)) return std::nullopt;
    unknown->told = true;
    return unknown_transaction(hash);
}

void retell(Lies& lies, const LiveChain* live, const RpcRequest& call, RpcAnswer& answer) {
    if (lies.all().empty() || answer.is_error()) return;
    Telling telling{call.method, json::parse(answer.member.substr(kResult.size())), &call.params, live,
                    query_of(call)};
    retell(lies, telling);
    if (telling.in_place)
        answer = std::move(*telling.in_place);
    else
        answer.member = std::string(kResult) + with_odd_members(telling.result.dump(), lies);
}

void retell_page(Lies& lies, const Chain& chain, const std::string& path, net::ServerReply& page) {
    const bool read = page.status == 200 && (path == "/status" || path.starts_with("/v0/"));
    if (lies.all().empty() || !read) return;
    Telling telling{path, json::parse(page.shared_body ? *page.shared_body : page.body)};
    retell(lies, telling);
    retell_whole(lies, chain, telling.result);
    page.shared_body.reset();
    page.body = with_odd_members(telling.result.dump(), lies);
}

}  // namespace receiptd::sandbox
