// Account ids: grammar, kinds and derivations (encoding.md §3).
#pragma once

#include "chain/wire/bytes.hpp"
#include "chain/wire/keys.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace receiptd::chain {

inline constexpr std::size_t kMinAccountIdSize = 2;
inline constexpr std::size_t kMaxAccountIdSize = 64;

bool is_valid_account_id(std::string_view id);

enum class AccountKind : std::uint8_t {
    named,          // also "system"
    near_implicit,  // 64 lower-case hex digits: an ed25519 key
    eth_implicit,   // "0x" and 40: of a secp256k1 key
    deterministic,  // "0s" and 40: of a state init (NEP-616)
};
// By form alone; `id` must be valid.
AccountKind account_kind(std::string_view id);

// "0u" and 52 symbols: of a state init (NEP-655). Its first transaction may come before account and key.
bool is_universal_account(std::string_view id);

// "b.c" of "a.b.c", the only account that may create it; empty for a top-level id.
std::string_view parent_account(std::string_view id);
inline bool is_sub_account_of(std::string_view child, std::string_view parent) {
    return !parent.empty() && parent_account(child) == parent;
}

// The implicit account of a key: of ed25519 the hex form, of secp256k1 the "0x" form; empty for
// ML-DSA-65, which has none.
std::string implicit_account(const PublicKey& key);
// Takes the Borsh bytes of a StateInit (actions.hpp).
std::string deterministic_account(ByteView state_init_borsh);

}  // namespace receiptd::chain
