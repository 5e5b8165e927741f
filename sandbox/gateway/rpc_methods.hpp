// The JSON-RPC methods a chain of recorded facts can answer (rpc.md §2-7).
#pragma once

#include "sandbox/gateway/chain.hpp"
#include "sandbox/gateway/rpc_answer.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace receiptd::sandbox {

class RpcMethods {
public:
    // `window`: the heights the asked host shows.
    RpcMethods(const Chain& chain, std::string_view chain_id, Window window)
        : chain_(chain), chain_id_(chain_id), window_(window) {}

    RpcAnswer call(const std::string& method, const nlohmann::json& params) const;
    std::string status_json() const;

private:
    using Json = nlohmann::json;
    // A block that was asked for: its height, or the answer that refuses it.
    using Resolved = std::variant<Height, RpcAnswer>;

    RpcAnswer dispatch(const std::string& method, const Json& params) const;
    RpcAnswer block(const Json& params) const;
    RpcAnswer chunk(const Json& params) const;
    RpcAnswer chunk_by_hash(const Json& chunk_id) const;
    RpcAnswer chunk_by_shard(const Json& block_id, const Json& shard_id) const;
    RpcAnswer transaction(const std::string& method, const Json& params) const;
    RpcAnswer receipt(const Json& params) const;
    RpcAnswer gas_price(const Json& params) const;

    Resolved resolve_reference(const Json& params) const;
    Resolved resolve_block_id(const Json& block_id) const;
    Json header(Height height) const;

    const Chain& chain_;
    std::string_view chain_id_;
    Window window_;
};

}  // namespace receiptd::sandbox
