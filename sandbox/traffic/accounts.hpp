// Accounts and keys of the traffic: genesis must make the accounts, the keys sign. Everything follows from
// the seed.
#pragma once

#include "sandbox/sim/host.hpp"
#include "sandbox/sim/secret_key.hpp"

#include <optional>
#include <string>
#include <vector>

namespace receiptd::sandbox {

// How many accounts of its own the traffic has unless told otherwise. Signers take turns, so two transactions
// of one key are this many transactions apart, and nonces of a key go out in ascending order.
inline constexpr std::size_t kTrafficAccounts = 128;
// Keys of relayer.sandbox that only the traffic uses, so that it never races a user for a nonce.
inline constexpr std::size_t kRelayerKeys = 16;
// Accounts whose transactions get lost for want of balance (Kind::dropped_balance), and what each has.
inline constexpr std::size_t kPoorAccounts = 32;
inline constexpr std::uint64_t kPoorTokens = 5;

struct TrafficAccount {
    std::string account_id;
    // An account that is there anyway (relayer.sandbox): only its keys are to be added.
    bool is_ready_made = false;
    sim::u128 balance = 0;             // yocto
    std::vector<sim::PublicKey> keys;  // full access, nonce 0
    // Secret key of the first of `keys`. A chain that knows it can make the drops "superseded" and "balance"
    // real.
    std::optional<sim::SecretKey> secret_key;
    sim::u128 token_balance = 0;  // with ft.sandbox; 0: not registered there
};

enum class SignerRole : std::uint8_t {
    account,   // transactions of an account of the traffic
    delegate,  // its delegate actions, with a key of their own: they are included later than they are signed
    relayer,   // transactions of relayer.sandbox
    poor,      // transactions that get lost: each leaves a nonce free for the one that takes the balance away
};
struct Signer {
    std::string account_id;
    sim::SecretKey key;
    SignerRole role = SignerRole::account;
    std::uint64_t nonce = 0;  // the last one used
};

// `count` accounts "abel-0.sandbox", "bea-1.sandbox", … (over all letters, hence over all shards) with
// 100,000 base tokens, a billion SBX and two keys each, poor ones, and relayer.sandbox with its keys.
// receiver.sandbox and script.sandbox must be registered with ft.sandbox as well, which genesis does without
// traffic too.
std::vector<TrafficAccount> traffic_accounts(std::uint64_t seed, std::size_t count = kTrafficAccounts);
// The keys of the same accounts.
std::vector<Signer> traffic_signers(std::uint64_t seed, std::size_t count = kTrafficAccounts);

// A key that follows from seed, purpose and number.
sim::SecretKey traffic_key(std::uint64_t seed, std::string_view purpose, std::uint64_t number,
                           chain::KeyType type = chain::KeyType::ed25519);

}  // namespace receiptd::sandbox
