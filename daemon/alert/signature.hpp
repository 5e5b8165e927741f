// Signatures of Standard Webhooks (standardwebhooks.com): HMAC-SHA256 over "id.timestamp.body".
#pragma once

#include "base/secret.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace receiptd::alert {

class Signer {
public:
    // "whsec_" and base64; nullopt for anything else (config/parse.hpp describes the fault).
    static std::optional<Signer> from(const base::Secret& secret);

    // The value of webhook-signature: "v1," and base64. `timestamp`: seconds since 1970, as it is sent.
    std::string sign(std::string_view id, std::int64_t timestamp, std::string_view body) const;

private:
    explicit Signer(base::Secret key) : key_(std::move(key)) {}
    base::Secret key_;  // the bytes
};

}  // namespace receiptd::alert
