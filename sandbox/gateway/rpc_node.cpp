// The node and its network (rpc.md §7).
#include "sandbox/gateway/block_reference.hpp"
#include "sandbox/gateway/json_text.hpp"
#include "sandbox/gateway/params_reader.hpp"
#include "sandbox/gateway/rpc_methods.hpp"
#include "sandbox/gateway/rpc_parts.hpp"

#include <algorithm>
#include <array>
#include <ctime>

namespace receiptd::sandbox {

namespace {

using nlohmann::json;

constexpr const char* kNodeKey = "ed25519:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847";

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

std::string genesis_hash(const RpcContext& context) {
    if (context.chain_id == "mainnet") return "EPnLgE7iEq9s7yTkos96M3cWymH5avBAPm3qx3NXqR8H";
    if (context.chain_id == "testnet") return "FWJ9kR6KFWoyMoNjpLXXGHeuiy7tEY6GmoFeCA5yuc6b";
    return block_hash(context.chain, context.chain.first());
}

json sync_info(const RpcContext& context, const json& latest) {
    const auto [floor, tip] = context.window;
    const json earliest = block_header(context.chain, floor);
    return {{"latest_block_hash", latest.value("hash", "")},
            {"latest_block_height", tip},
            {"latest_state_root", latest.value("prev_state_root", "")},
            {"latest_block_time", time_text(block_nanosec(latest))},
            {"syncing", false},
            {"earliest_block_hash", earliest.value("hash", "")},
            {"earliest_block_height", floor},
            {"earliest_block_time", time_text(block_nanosec(earliest))},
            {"epoch_id", latest.value("epoch_id", "")},
            {"epoch_start_height", context.live ? context.live->epoch_start(tip) : floor}};
}

json validator_names(const RpcContext& context) {
    json names = json::array();
    if (!context.live) return names;
    for (const auto& each : context.live->validators(context.window.tip).value("current_validators", json()))
        names.push_back({{"account_id", each.value("account_id", "")}});
    return names;
}

}  // namespace

json node_status(const RpcContext& context) {
    const json latest = block_header(context.chain, context.window.tip);
    const auto version = latest.value("latest_protocol_version", 0);
    return {{"version",
             {{"version", "2.13.4"},
              {"build", "receiptd-sandbox"},
              {"commit", "sandbox"},
              {"rustc_version", "none"}}},
            {"chain_id", context.chain_id},
            {"protocol_version", version},
            {"latest_protocol_version", version},
            {"rpc_addr", "0.0.0.0:3030"},
            {"validators", validator_names(context)},
            {"sync_info", sync_info(context, latest)},
            {"validator_account_id", nullptr},
            {"validator_public_key", nullptr},
            {"node_public_key", kNodeKey},
            {"node_key", nullptr},
            {"uptime_sec", context.uptime_sec},
            {"genesis_hash", genesis_hash(context)},
            {"detailed_debug_status", nullptr}};
}

// A node alone in its network.
json network_info(const RpcContext& context) {
    json producers = json::array();
    for (const auto& name : validator_names(context))
        producers.push_back({{"account_id", name["account_id"]}, {"addr", nullptr}, {"peer_id", kNodeKey}});
    return {{"active_peers", json::array()}, {"num_active_peers", 0},       {"peer_max_count", 40},
            {"sent_bytes_per_sec", 0},       {"received_bytes_per_sec", 0}, {"known_producers", producers}};
}

namespace rpc {

namespace {

RpcAnswer unknown_epoch() { return handler_error("UNKNOWN_EPOCH", nullptr, "Epoch not found"); }
RpcAnswer no_validator_info() {
    return handler_error("VALIDATOR_INFO_UNAVAILABLE", nullptr, "Validator info unavailable");
}

// The last block of the epoch of `height`, as far as the host shows it.
Height last_of_epoch(const RpcContext& context, const LiveChain& live, Height height) {
    Height last = context.window.tip;
    while (live.epoch_start(last) > live.epoch_start(height))
        last = context.chain.back(live.epoch_start(last), 1);
    return last;
}

RpcAnswer validators_of_block(const RpcContext& context, const LiveChain& live, Height height) {
    const Height last = last_of_epoch(context, live, height);
    if (last != context.window.tip && height != last) return no_validator_info();
    return result_of(live.validators(last));
}

RpcAnswer validators_of_epoch(const RpcContext& context, const LiveChain& live, const Json& epoch_id) {
    if (!is_hash(epoch_id)) return failed_args("missing or invalid field `epoch_id`");
    for (Height last = context.window.tip;;) {
        if (block_header(context.chain, last).value("epoch_id", Json()) == epoch_id)
            return result_of(live.validators(last));
        const Height start = live.epoch_start(last);
        if (start <= context.window.floor) return unknown_epoch();
        last = context.chain.back(start, 1);
    }
}

}  // namespace

RpcAnswer status(const RpcContext& context, const Json&) { return result_of(node_status(context)); }
RpcAnswer health(const RpcContext&, const Json&) { return result("null"); }
RpcAnswer network(const RpcContext& context, const Json&) { return result_of(network_info(context)); }

RpcAnswer validators(const RpcContext& context, const Json& params, LiveChain& live) {
    if (params.is_object() && params.contains("epoch_id"))
        return validators_of_epoch(context, live, params["epoch_id"]);
    if (params == "latest") return result_of(live.validators(context.window.tip));
    const auto chosen = choose_block_or_newest(context, params);
    if (const auto* height = std::get_if<Height>(&chosen)) return validators_of_block(context, live, *height);
    return std::holds_alternative<MissingBlock>(chosen) ? unknown_epoch() : refusal(chosen);
}

RpcAnswer validators_ordered(const RpcContext& context, const Json& params, LiveChain& live) {
    const auto chosen = choose_block_or_newest(context, params);
    const auto* height = std::get_if<Height>(&chosen);
    if (!height) return refusal(chosen);
    Json stakes = Json::array();
    for (const auto& each : live.validators(*height).value("current_validators", Json::array()))
        stakes.push_back({{"validator_stake_struct_version", "V1"},
                          {"account_id", each["account_id"]},
                          {"public_key", each["public_key"]},
                          {"stake", each["stake"]}});
    return result_of(stakes);
}

RpcAnswer protocol_config(const RpcContext& context, const Json& params, LiveChain& live) {
    const auto chosen = choose_block(context, params);
    const auto* height = std::get_if<Height>(&chosen);
    return height ? result_of(live.protocol_config(*height)) : refusal(chosen);
}

RpcAnswer genesis_config(const RpcContext&, const Json&, LiveChain& live) {
    return result_of(live.genesis_config());
}

// Nobody plans any here.
RpcAnswer maintenance_windows(const RpcContext&, const Json& params, LiveChain&) {
    ParamsReader reader(params);
    reader.account_id("account_id");
    if (auto error = reader.error()) return std::move(*error);
    return result("[]");
}

}  // namespace rpc

}  // namespace receiptd::sandbox
