#include "sandbox/gateway/params_reader.hpp"

#include "chain/wire/account_id.hpp"
#include "chain/wire/base64.hpp"
#include "chain/wire/hash.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {

ParamsReader::ParamsReader(const nlohmann::json& params) : params_(params) {
    if (!params.is_object()) fail("invalid type, expected a params object");
}

const nlohmann::json* ParamsReader::find(const char* name) const {
    if (!params_.is_object()) return nullptr;
    const auto found = params_.find(name);
    return found == params_.end() || found->is_null() ? nullptr : &*found;
}

void ParamsReader::fail(std::string what) {
    if (error_.empty()) error_ = std::move(what);
}

std::string ParamsReader::text(const char* name) {
    const auto* value = find(name);
    if (!value) {
        fail("missing field `" + std::string(name) + "`");
        return "";
    }
    if (!value->is_string()) {
        fail("invalid type of field `" + std::string(name) + "`, expected a string");
        return "";
    }
    return value->get<std::string>();
}

std::string ParamsReader::account_id(const char* name) {
    std::string id = text(name);
    if (error_.empty() && !chain::is_valid_account_id(id))
        fail("invalid value of field `" + std::string(name) + "`: not an account id");
    return id;
}

std::string ParamsReader::hash(const char* name) {
    std::string value = text(name);
    if (error_.empty() && !chain::CryptoHash::parse(value))
        fail("missing or invalid field `" + std::string(name) + "`");
    return value;
}

chain::PublicKey ParamsReader::public_key(const char* name) {
    const std::string value = text(name);
    if (!error_.empty()) return {};
    auto key = chain::PublicKey::parse(value);
    if (!key) fail("invalid value of field `" + std::string(name) + "`: not a public key");
    return key.value_or(chain::PublicKey());
}

chain::Bytes ParamsReader::base64(const char* name) {
    const std::string value = text(name);
    if (!error_.empty()) return {};
    auto bytes = chain::base64_decode(value);
    if (!bytes) fail("invalid value of field `" + std::string(name) + "`: not base64");
    return bytes.value_or(chain::Bytes());
}

std::optional<chain::Bytes> ParamsReader::optional_base64(const char* name) {
    return find(name) ? std::optional(base64(name)) : std::nullopt;
}

std::optional<std::string> ParamsReader::optional_text(const char* name) {
    return find(name) ? std::optional(text(name)) : std::nullopt;
}

std::optional<std::uint64_t> ParamsReader::optional_number(const char* name) {
    const auto* value = find(name);
    if (!value) return std::nullopt;
    if (value->is_number_unsigned()) return value->get<std::uint64_t>();
    fail("invalid type of field `" + std::string(name) + "`, expected a whole number");
    return std::nullopt;
}

bool ParamsReader::flag(const char* name) {
    const auto* value = find(name);
    if (!value) return false;
    if (!value->is_boolean()) fail("invalid type of field `" + std::string(name) + "`, expected a boolean");
    return value->is_boolean() && value->get<bool>();
}

std::optional<RpcAnswer> ParamsReader::error() const {
    return error_.empty() ? std::nullopt : std::optional(failed_args(error_));
}

}  // namespace receiptd::sandbox
