// Parses the parameters of a `query` (rpc.md §6), in its object form and its legacy form.
#pragma once

#include "chain/wire/bytes.hpp"
#include "chain/wire/keys.hpp"
#include "sandbox/gateway/rpc_answer.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace receiptd::sandbox {

struct QueryRequest {
    enum class Kind {
        account,
        code,
        state,
        access_key,
        access_key_list,
        gas_key_nonces,
        call,
        global_code_by_hash,
        global_code_by_account,
    };
    Kind kind = Kind::account;
    std::string account_id;
    chain::PublicKey public_key;
    std::string method_name;
    chain::Bytes args;
    chain::Bytes prefix;                          // of the keys of `state`
    std::optional<chain::Bytes> after_key;        // … only those behind it
    std::optional<std::string> after_public_key;  // of `access_key_list`, as the list shows keys
    std::optional<std::uint64_t> limit;           // of both: at most so many
    bool include_proof = false;
    std::string code_hash;
};
using QueryOrError = std::variant<QueryRequest, RpcAnswer>;

// An object; its block reference is not read here.
QueryOrError read_query(std::string_view request_type, const nlohmann::json& params);
// [path, base58 data]
QueryOrError read_legacy_query(const nlohmann::json& params);

}  // namespace receiptd::sandbox
