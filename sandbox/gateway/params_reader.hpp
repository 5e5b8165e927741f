// Reads the members of a params object one by one; the first that is missing or wrong is remembered
// and told as nearcore tells it.
#pragma once

#include "chain/wire/bytes.hpp"
#include "chain/wire/keys.hpp"
#include "sandbox/gateway/rpc_answer.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace receiptd::sandbox {

class ParamsReader {
public:
    // `params` must outlive it.
    explicit ParamsReader(const nlohmann::json& params);

    // After an error they give empty values.
    std::string text(const char* name);
    std::string account_id(const char* name);
    std::string hash(const char* name);
    chain::PublicKey public_key(const char* name);
    chain::Bytes base64(const char* name);
    std::optional<std::string> optional_text(const char* name);
    std::optional<chain::Bytes> optional_base64(const char* name);
    std::optional<std::uint64_t> optional_number(const char* name);
    bool flag(const char* name);  // false if absent

    // A PARSE_ERROR, if there was an error.
    std::optional<RpcAnswer> error() const;

private:
    const nlohmann::json* find(const char* name) const;  // nullptr: absent or null
    void fail(std::string what);

    const nlohmann::json& params_;
    std::string error_;
};

}  // namespace receiptd::sandbox
