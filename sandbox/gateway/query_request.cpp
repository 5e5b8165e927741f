#include "sandbox/gateway/query_request.hpp"

#include "chain/wire/account_id.hpp"
#include "chain/wire/base58.hpp"
#include "sandbox/gateway/params_reader.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <utility>

namespace receiptd::sandbox {

namespace {

using nlohmann::json;
using Kind = QueryRequest::Kind;

constexpr std::size_t kMaxLegacyData = 10 * 1024;

constexpr std::array<std::pair<std::string_view, Kind>, 9> kKinds{{
    {"view_account", Kind::account},
    {"view_code", Kind::code},
    {"view_state", Kind::state},
    {"view_access_key", Kind::access_key},
    {"view_access_key_list", Kind::access_key_list},
    {"view_gas_key_nonces", Kind::gas_key_nonces},
    {"call_function", Kind::call},
    {"view_global_contract_code", Kind::global_code_by_hash},
    {"view_global_contract_code_by_account_id", Kind::global_code_by_account},
}};

std::optional<Kind> kind_of(std::string_view request_type) {
    for (const auto& [name, kind] : kKinds) {
        if (name == request_type) return kind;
    }
    return std::nullopt;
}

void read_fields(ParamsReader& reader, QueryRequest& query) {
    if (query.kind == Kind::global_code_by_hash) {
        query.code_hash = reader.hash("code_hash");
        return;
    }
    query.account_id = reader.account_id("account_id");
    if (query.kind == Kind::access_key || query.kind == Kind::gas_key_nonces)
        query.public_key = reader.public_key("public_key");
    if (query.kind == Kind::call) {
        query.method_name = reader.text("method_name");
        query.args = reader.base64("args_base64");
    }
    if (query.kind == Kind::state) {
        query.prefix = reader.base64("prefix_base64");
        query.include_proof = reader.flag("include_proof");
        query.after_key = reader.optional_base64("after_key_base64");
        query.limit = reader.optional_number("limit");
    }
    if (query.kind == Kind::access_key_list) {
        query.after_public_key = reader.optional_text("after_key");
        query.limit = reader.optional_number("limit");
    }
}

// The third part of a path: nothing for "account/a", a key for "access_key/a/KEY".
QueryOrError with_rest(QueryRequest query, std::string_view command, std::optional<std::string> rest) {
    if (command == "account") return query;
    if (command == "code") {
        query.kind = Kind::code;
        return query;
    }
    if (command == "contract") {
        query.kind = Kind::state;
        query.prefix = std::move(query.args);
        return query;
    }
    if (command == "access_key") {
        query.kind = rest ? Kind::access_key : Kind::access_key_list;
        if (!rest) return query;
        const auto key = chain::PublicKey::parse(*rest);
        if (!key) return parse_error("Invalid public key: " + *rest);
        query.public_key = *key;
        return query;
    }
    if (command == "call") {
        if (!rest || rest->empty()) return parse_error("Method name is missing");
        query.kind = Kind::call;
        query.method_name = std::move(*rest);
        return query;
    }
    return parse_error("Unknown query path: " + std::string(command));
}

}  // namespace

QueryOrError read_query(std::string_view request_type, const json& params) {
    const auto kind = kind_of(request_type);
    if (!kind)
        return failed_args("unknown variant `" + std::string(request_type) + "` of field `request_type`");
    QueryRequest query;
    query.kind = *kind;
    ParamsReader reader(params);
    read_fields(reader, query);
    if (auto error = reader.error()) return std::move(*error);
    return query;
}

QueryOrError read_legacy_query(const json& params) {
    if (!params.is_array() || params.size() != 2 || !params[0].is_string() || !params[1].is_string())
        return failed_args("expected [path, data] or an object with `request_type`");
    const auto& path = params[0].get_ref<const std::string&>();
    const auto& data = params[1].get_ref<const std::string&>();
    if (data.size() > kMaxLegacyData * 2) return parse_error("Query data size is too large");
    auto bytes = chain::base58_decode(data);
    if (!bytes) return parse_error("Failed parsing args: data is not base58");
    if (bytes->size() > kMaxLegacyData) return parse_error("Query data size is too large");
    const auto first = path.find('/');
    if (first == std::string::npos) return parse_error("Not enough query parameters provided");
    const auto second = path.find('/', first + 1);
    QueryRequest query;
    query.account_id = path.substr(first + 1, second == std::string::npos ? second : second - first - 1);
    if (!chain::is_valid_account_id(query.account_id))
        return parse_error("the Account ID is invalid: " + query.account_id);
    query.args = std::move(*bytes);
    const auto rest = second == std::string::npos ? std::nullopt : std::optional(path.substr(second + 1));
    return with_rest(std::move(query), std::string_view(path).substr(0, first), rest);
}

}  // namespace receiptd::sandbox
