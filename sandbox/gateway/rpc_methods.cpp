#include "sandbox/gateway/rpc_methods.hpp"

#include "chain/hash.hpp"

#include <algorithm>
#include <array>
#include <ctime>

namespace receiptd::sandbox {

namespace {

using nlohmann::json;

constexpr const char* kNoBlockId =
    "Failed parsing args: data did not match any variant of untagged enum BlockId";

bool is_hash(const json& value) {
    return value.is_string() && chain::CryptoHash::parse(value.get_ref<const std::string&>()).has_value();
}

RpcAnswer failed_args(const std::string& what) { return parse_error("Failed parsing args: " + what); }

// RFC 3339 with nanoseconds.
std::string time_text(std::uint64_t nanosec) {
    const auto seconds = static_cast<std::time_t>(nanosec / 1'000'000'000);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 32> date{};
    std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    const std::string fraction = std::to_string(nanosec % 1'000'000'000);
    return std::string(date.data()) + "." + std::string(9 - fraction.size(), '0') + fraction + "Z";
}

std::uint64_t block_nanosec(const json& header) {
    const auto exact = header.find("timestamp_nanosec");
    if (exact != header.end() && exact->is_string()) return std::stoull(exact->get<std::string>());
    return header.value("timestamp", std::uint64_t{0});
}

std::string genesis_hash(std::string_view chain_id, const json& first_header) {
    if (chain_id == "mainnet") return "EPnLgE7iEq9s7yTkos96M3cWymH5avBAPm3qx3NXqR8H";
    if (chain_id == "testnet") return "FWJ9kR6KFWoyMoNjpLXXGHeuiy7tEY6GmoFeCA5yuc6b";
    return first_header.value("hash", "");
}

// A node answers 422 for UNKNOWN_BLOCK when `block_id` is a number below its head (rpc.md §1.1).
void apply_status_rule(RpcAnswer& answer, const json& params, Height tip) {
    if (answer.http_status != 200 || !answer.member.starts_with("\"error\"") || !params.is_object()) return;
    const auto block_id = params.find("block_id");
    if (block_id == params.end() || !block_id->is_number_unsigned() || block_id->get<Height>() >= tip) return;
    if (answer.member.find("\"UNKNOWN_BLOCK\"") != std::string::npos) answer.http_status = 422;
}

struct TransactionQuery {
    std::string hash;
    ExecutionLevel wait_until = ExecutionLevel::executed_optimistic;
};

std::variant<TransactionQuery, RpcAnswer> read_transaction_query(const json& params) {
    json hash, sender, wait_until;
    if (params.is_array() && params.size() == 2) {
        hash = params[0];
        sender = params[1];
    } else if (params.is_object() && !params.contains("signed_tx_base64")) {
        hash = params.value("tx_hash", json());
        sender = params.value("sender_account_id", json());
        wait_until = params.value("wait_until", json());
    } else if (params.is_object() || (params.is_array() && params.size() == 1)) {
        return parse_error("Failed to decode transaction: recorded transactions are found by hash only");
    } else {
        return failed_args("data did not match any variant of untagged enum TransactionInfo");
    }
    if (!is_hash(hash)) return failed_args("missing or invalid field `tx_hash`");
    if (!sender.is_string()) return failed_args("missing field `sender_account_id`");
    TransactionQuery query{hash.get<std::string>()};
    if (wait_until.is_null()) return query;
    const auto level =
        wait_until.is_string() ? parse_execution_level(wait_until.get<std::string>()) : std::nullopt;
    if (!level) return failed_args("unknown variant of field `wait_until`");
    query.wait_until = *level;
    return query;
}

}  // namespace

RpcAnswer RpcMethods::call(const std::string& method, const Json& params) const {
    RpcAnswer answer = dispatch(method, params);
    apply_status_rule(answer, params, window_.tip);
    return answer;
}

RpcAnswer RpcMethods::dispatch(const std::string& method, const Json& params) const {
    if (method == "block") return block(params);
    if (method == "chunk") return chunk(params);
    if (method == "tx" || method == "EXPERIMENTAL_tx_status") return transaction(method, params);
    if (method == "EXPERIMENTAL_receipt") return receipt(params);
    if (method == "gas_price") return gas_price(params);
    if (method == "status") return result(status_json());
    if (method == "health") return result("null");
    return method_not_found(method);
}

RpcMethods::Resolved RpcMethods::resolve_block_id(const Json& block_id) const {
    if (block_id.is_number_unsigned()) {
        const auto height = block_id.get<Height>();
        if (!window_.contains(height) || !chain_.has_block(height)) return unknown_block(height);
        return height;
    }
    if (!is_hash(block_id)) return parse_error(kNoBlockId);
    const auto hash = block_id.get<std::string>();
    const auto height = chain_.height_of_block(hash);
    if (!height || !window_.contains(*height)) return unknown_block(hash);
    return *height;
}

RpcMethods::Resolved RpcMethods::resolve_reference(const Json& params) const {
    if (params.is_array()) {
        if (params.size() != 1) return failed_args("invalid length " + std::to_string(params.size()));
        return resolve_block_id(params[0]);
    }
    if (!params.is_object()) return failed_args("expected a block reference");
    if (const auto block_id = params.find("block_id"); block_id != params.end())
        return resolve_block_id(*block_id);
    if (const auto finality = params.find("finality"); finality != params.end()) {
        if (*finality == "final" || *finality == "near-final" || *finality == "optimistic")
            return window_.tip;
        return failed_args(
            "unknown variant of `finality`, expected one of `optimistic`, `near-final`, `final`");
    }
    if (const auto checkpoint = params.find("sync_checkpoint"); checkpoint != params.end()) {
        if (*checkpoint == "earliest_available") return window_.floor;
        if (*checkpoint == "genesis") return resolve_block_id(chain_.first());
    }
    return failed_args("expected one of `block_id`, `finality`, `sync_checkpoint`");
}

RpcAnswer RpcMethods::block(const Json& params) const {
    const auto resolved = resolve_reference(params);
    if (const auto* refused = std::get_if<RpcAnswer>(&resolved)) return *refused;
    const auto height = std::get<Height>(resolved);
    const auto json = chain_.block(height);
    return json ? result(*json) : unknown_block(height);
}

RpcAnswer RpcMethods::chunk(const Json& params) const {
    if (params.is_array() && params.size() == 1) {
        const Json& only = params[0];
        if (only.is_array() && only.size() == 2) return chunk_by_shard(only[0], only[1]);
        return chunk_by_hash(only);
    }
    if (params.is_object()) {
        if (const auto id = params.find("chunk_id"); id != params.end()) return chunk_by_hash(*id);
        if (params.contains("block_id") && params.contains("shard_id"))
            return chunk_by_shard(params["block_id"], params["shard_id"]);
    }
    return failed_args("data did not match any variant of untagged enum ChunkReference");
}

RpcAnswer RpcMethods::chunk_by_hash(const Json& chunk_id) const {
    if (!is_hash(chunk_id))
        return failed_args("data did not match any variant of untagged enum ChunkReference");
    const auto hash = chunk_id.get<std::string>();
    const auto chunk = chain_.chunk(hash);
    if (!chunk || !window_.contains(chunk->height)) return unknown_chunk(hash);
    return result(chunk->json);
}

RpcAnswer RpcMethods::chunk_by_shard(const Json& block_id, const Json& shard_id) const {
    if (!shard_id.is_number_unsigned()) return failed_args("invalid field `shard_id`");
    const auto resolved = resolve_block_id(block_id);
    if (const auto* refused = std::get_if<RpcAnswer>(&resolved)) return *refused;
    const auto text = chain_.block(std::get<Height>(resolved));
    const Json block = Json::parse(text.value_or("{}"));
    const Json slots = block.value("chunks", Json::array());
    for (const auto& slot : slots) {
        if (slot.value("shard_id", Json()) == shard_id)
            return chunk_by_hash(slot.value("chunk_hash", Json()));
    }
    return invalid_shard_id(shard_id.get<std::uint64_t>());
}

RpcAnswer RpcMethods::transaction(const std::string& method, const Json& params) const {
    const bool with_receipts = method != "tx";
    // Old recordings were made with `tx` alone: the newer method does not exist there.
    if (with_receipts && !chain_.has_receipts_of_transactions()) return method_not_found(method);
    const auto read = read_transaction_query(params);
    if (const auto* refused = std::get_if<RpcAnswer>(&read)) return *refused;
    const auto& query = std::get<TransactionQuery>(read);
    const auto view = chain_.transaction(query.hash, window_.tip);
    const bool retained = view && (view->height == 0 || view->height >= window_.floor);
    if (!retained)
        return query.wait_until == ExecutionLevel::none ? unknown_transaction(query.hash) : timeout();
    if (!satisfies(view->level, query.wait_until)) return timeout();
    if (!with_receipts) return result(view->json);
    return view->json_with_receipts.empty() ? method_not_found(method) : result(view->json_with_receipts);
}

RpcAnswer RpcMethods::receipt(const Json& params) const {
    const Json id = params.is_object() ? params.value("receipt_id", Json()) : Json();
    if (!is_hash(id)) return failed_args("missing or invalid field `receipt_id`");
    const auto receipt_id = id.get<std::string>();
    const auto receipt = chain_.receipt(receipt_id);
    if (!receipt || (receipt->height != 0 && !window_.contains(receipt->height)))
        return unknown_receipt(receipt_id);
    return result(receipt->json);
}

RpcAnswer RpcMethods::gas_price(const Json& params) const {
    Json block_id;
    if (params.is_array() && params.size() == 1) block_id = params[0];
    if (params.is_object()) block_id = params.value("block_id", Json());
    Resolved resolved = window_.tip;
    if (!block_id.is_null()) resolved = resolve_block_id(block_id);
    if (const auto* refused = std::get_if<RpcAnswer>(&resolved)) return *refused;
    return result(Json{{"gas_price", header(std::get<Height>(resolved)).value("gas_price", "0")}}.dump());
}

RpcMethods::Json RpcMethods::header(Height height) const {
    const auto text = chain_.block(height);
    if (!text) return Json::object();
    return Json::parse(*text).value("header", Json::object());
}

std::string RpcMethods::status_json() const {
    const Json latest = header(window_.tip);
    const Json earliest = header(window_.floor);
    const auto version = latest.value("latest_protocol_version", 0);
    const Json sync_info{{"latest_block_hash", latest.value("hash", "")},
                         {"latest_block_height", window_.tip},
                         {"latest_state_root", latest.value("prev_state_root", "")},
                         {"latest_block_time", time_text(block_nanosec(latest))},
                         {"syncing", false},
                         {"earliest_block_hash", earliest.value("hash", "")},
                         {"earliest_block_height", window_.floor},
                         {"earliest_block_time", time_text(block_nanosec(earliest))},
                         {"epoch_id", latest.value("epoch_id", "")},
                         {"epoch_start_height", window_.floor}};
    return Json{{"version",
                 {{"version", "2.13.4"},
                  {"build", "receiptd-sandbox"},
                  {"commit", "sandbox"},
                  {"rustc_version", "none"}}},
                {"chain_id", chain_id_},
                {"protocol_version", version},
                {"latest_protocol_version", version},
                {"rpc_addr", "0.0.0.0:3030"},
                {"validators", Json::array()},
                {"sync_info", sync_info},
                {"validator_account_id", nullptr},
                {"validator_public_key", nullptr},
                {"node_public_key", "ed25519:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847"},
                {"node_key", nullptr},
                {"uptime_sec", 0},
                {"genesis_hash", genesis_hash(chain_id_, header(chain_.first()))},
                {"detailed_debug_status", nullptr}}
        .dump();
}

}  // namespace receiptd::sandbox
