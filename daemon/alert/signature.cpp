#include "alert/signature.hpp"

#include "chain/wire/base64.hpp"

#include <sodium/crypto_auth_hmacsha256.h>

#include <array>

namespace receiptd::alert {

namespace {

constexpr std::string_view kPrefix = "whsec_";

const unsigned char* bytes(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::optional<Signer> Signer::from(const base::Secret& secret) {
    const std::string_view text = secret.reveal();
    std::string key;
    if (!text.starts_with(kPrefix) || !chain::base64_decode_into(text.substr(kPrefix.size()), key) ||
        key.empty())
        return std::nullopt;
    return Signer(base::Secret(std::move(key)));
}

std::string Signer::sign(std::string_view id, std::int64_t timestamp, std::string_view body) const {
    crypto_auth_hmacsha256_state state;
    crypto_auth_hmacsha256_init(&state, bytes(key_.reveal()), key_.reveal().size());
    const auto head = std::string(id) + "." + std::to_string(timestamp) + ".";
    crypto_auth_hmacsha256_update(&state, bytes(head), head.size());
    crypto_auth_hmacsha256_update(&state, bytes(body), body.size());
    std::array<unsigned char, crypto_auth_hmacsha256_BYTES> digest{};
    crypto_auth_hmacsha256_final(&state, digest.data());
    return "v1," +
           chain::base64_encode({reinterpret_cast<const std::uint8_t*>(digest.data()), digest.size()});
}

}  // namespace receiptd::alert
