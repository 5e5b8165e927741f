// The changes that a StateUpdate hands to its State.
#pragma once

#include "sandbox/sim/model.hpp"
#include "sandbox/sim/versions.hpp"

#include <map>
#include <optional>
#include <string>

namespace receiptd::sandbox::sim {

struct Account {
    u128 amount = 0;
    u128 locked = 0;
    CryptoHash code_hash;  // of its own code; zero: none
    std::uint64_t storage_usage = 0;
    std::optional<wire::GlobalContractId> global_contract{};  // instead of code of its own
    friend bool operator==(const Account&, const Account&) = default;
};

// As the state has it: a gas key has a nonce for each of its indexes.
struct AccessKey : wire::AccessKey {
    AccessKey() = default;
    AccessKey(wire::AccessKey key) : wire::AccessKey(std::move(key)) {}
    std::vector<std::uint64_t> nonces;
};

struct KeyChange {
    PublicKey public_key;
    Value<AccessKey> access_key;
};

struct AccountChanges {
    bool cleared = false;  // the keys, code and data of before are gone
    std::optional<Value<Account>> account;
    std::optional<Value<Bytes>> code;
    std::map<std::string, KeyChange, std::less<>> keys;  // by record_key()
    std::map<std::string, Value<std::string>, std::less<>> data;
};

struct StateChanges {
    std::map<std::string, AccountChanges, std::less<>> accounts;
    std::map<wire::GlobalContractId, Value<Bytes>> global_contracts;
    std::map<wire::GlobalContractId, Value<std::uint64_t>> global_nonces;
    bool empty() const { return accounts.empty() && global_contracts.empty() && global_nonces.empty(); }
};

// Under which a key is kept: short to make, unlike its text.
std::string record_key(const PublicKey& key);

// A digest of the changes that does not depend on how they were made.
CryptoHash digest(const StateChanges& changes);

// The tokens a gas key holds; 0 of other keys.
u128 gas_key_balance(const wire::AccessKey& access_key);
const wire::GasKeyInfo* gas_key_info(const wire::AccessKey& access_key);
wire::GasKeyInfo* gas_key_info(wire::AccessKey& access_key);
// The nonce that goes with the index; without one the key's own. The index must be one of the key's.
std::uint64_t& nonce_at(AccessKey& access_key, const std::optional<std::uint16_t>& index);

}  // namespace receiptd::sandbox::sim
