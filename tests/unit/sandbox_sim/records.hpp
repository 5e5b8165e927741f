// Keys, amounts and a state to begin with, for tests that need no chain (world.hpp is for those that do).
#pragma once

#include "sandbox/sim/limits.hpp"
#include "sandbox/sim/protocol.hpp"
#include "sandbox/sim/secret_key.hpp"
#include "sandbox/sim/state_update.hpp"

#include <string>
#include <utility>

namespace receiptd::sandbox::sim::records {

inline constexpr Height kGenesis = 100;
inline const Protocol& kProtocol = usual_protocol();

inline sim::SecretKey secret_of(std::string_view name) {
    const CryptoHash seed = chain::sha256(chain::bytes_of(name));
    return *sim::SecretKey::from_seed(chain::KeyType::ed25519, seed.view());
}
inline PublicKey public_of(std::string_view name) { return secret_of(name).public_key(); }

inline Bytes raw(std::string_view text) { return {text.begin(), text.end()}; }
inline std::string decimal(u128 value) { return base::to_string(value); }

inline Account account_with(u128 amount, u128 locked = 0) {
    Account account;
    account.amount = amount;
    account.locked = locked;
    return account;
}

inline wire::AccessKey full_access(std::uint64_t nonce = 0) { return {nonce, wire::FullAccess{}}; }
inline wire::AccessKey call_key(std::string receiver_id, std::vector<std::string> methods = {},
                                std::optional<u128> allowance = std::nullopt) {
    return {0, wire::FunctionCallPermission{allowance, std::move(receiver_id), std::move(methods)}};
}
inline wire::AccessKey gas_key(u128 balance, std::uint16_t num_nonces = 2) {
    return {0, wire::GasKeyFullAccess{{balance, num_nonces}}};
}

// An account with one full-access key, named as the account.
inline void make_account(State& state, const std::string& id, u128 amount = 100 * kOneToken,
                         Height height = kGenesis) {
    StateUpdate update(state);
    update.set_account(id, account_with(amount));
    update.set_access_key(id, public_of(id), full_access());
    update.commit(height);
}

template <class Change>
void change(State& state, Height height, Change make) {
    StateUpdate update(state);
    make(update);
    update.commit(height);
}

}  // namespace receiptd::sandbox::sim::records
