#include "chain/wire/account_id.hpp"

#include "chain/wire/hex.hpp"
#include "chain/wire/keccak.hpp"

#include <algorithm>

namespace receiptd::chain {

namespace {

bool is_separator(char c) { return c == '-' || c == '_' || c == '.'; }
bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_lower_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool all_lower_hex(std::string_view text) { return std::all_of(text.begin(), text.end(), is_lower_hex); }

// The last 20 bytes of the Keccak hash, as Ethereum makes addresses.
std::string address_of(ByteView bytes) { return hex_encode(keccak256(bytes).view().last(20)); }

}  // namespace

bool is_valid_account_id(std::string_view id) {
    if (id.size() < kMinAccountIdSize || id.size() > kMaxAccountIdSize) return false;
    bool after_separator = true;  // neither the first character may be one
    for (const char c : id) {
        const bool separator = is_separator(c);
        if (!separator && !is_alphanumeric(c)) return false;
        if (separator && after_separator) return false;
        after_separator = separator;
    }
    return !after_separator;
}

AccountKind account_kind(std::string_view id) {
    if (id.size() == 64 && all_lower_hex(id)) return AccountKind::near_implicit;
    if (id.size() == 42 && all_lower_hex(id.substr(2))) {
        if (id.starts_with("0x")) return AccountKind::eth_implicit;
        if (id.starts_with("0s")) return AccountKind::deterministic;
    }
    return AccountKind::named;
}

bool is_universal_account(std::string_view id) {
    constexpr std::string_view kSymbols = "0123456789abcdefghjkmnpqrstvwxyz";  // Crockford's base32
    if (id.size() != 54 || !id.starts_with("0u")) return false;
    return id.find_first_not_of(kSymbols, 2) == std::string_view::npos &&
           (id.back() == '0' || id.back() == 'g');
}

std::string_view parent_account(std::string_view id) {
    const auto dot = id.find('.');
    return dot == std::string_view::npos ? std::string_view() : id.substr(dot + 1);
}

std::string implicit_account(const PublicKey& key) {
    switch (key.type()) {
        case KeyType::ed25519: return hex_encode(key.raw());
        case KeyType::secp256k1: return "0x" + address_of(key.raw());
        case KeyType::ml_dsa_65: break;
    }
    return {};
}

std::string deterministic_account(ByteView state_init_borsh) { return "0s" + address_of(state_init_borsh); }

}  // namespace receiptd::chain
