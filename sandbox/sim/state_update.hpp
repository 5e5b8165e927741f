// Changes on top of a State that are kept all together or not at all: the frame of one transaction
// conversion or one receipt.
#pragma once

#include "sandbox/sim/state.hpp"

#include <string>
#include <string_view>

namespace receiptd::sandbox::sim {

// An account's storage_usage, code_hash and global_contract follow from the other records and are
// kept up here: code that sets or removes a record has nothing to add up, and cannot overwrite them with an
// Account read before (storage_usage.hpp tells the bytes; code counts its length).
class StateUpdate {
public:
    // `state` must outlive it.
    explicit StateUpdate(State& state) : state_(state) {}

    std::optional<Account> account(std::string_view id) const;
    // Makes it, or changes its amount and locked; the other members of `account` are not looked at.
    void set_account(std::string_view id, const Account& account);
    // Removes it with all its keys, code and data.
    void remove_account(std::string_view id);
    std::optional<AccessKey> access_key(std::string_view id, const PublicKey& key) const;
    void set_access_key(std::string_view id, const PublicKey& key, const AccessKey& access_key);
    void remove_access_key(std::string_view id, const PublicKey& key);
    KeyList access_keys(std::string_view id) const;
    // The code that the account runs: its own or that of the global contract it uses.
    std::optional<Bytes> code(std::string_view id) const;
    // The hash of that code, which is what a call runs; nullopt: no account, or no contract on it.
    std::optional<CryptoHash> contract_hash(std::string_view id) const;
    // Gives the account its own code, instead of the code it ran before.
    void set_code(std::string_view id, Bytes code);
    void use_global_contract(std::string_view id, const wire::GlobalContractId& contract);
    std::optional<Bytes> global_contract(const wire::GlobalContractId& contract) const;
    void set_global_contract(const wire::GlobalContractId& contract, Bytes code);
    // The nonce of the newest deployment that this shard knows of; 0: it knows of none.
    std::uint64_t global_contract_nonce(const wire::GlobalContractId& contract) const;
    void set_global_contract_nonce(const wire::GlobalContractId& contract, std::uint64_t nonce);
    std::optional<std::string> data(std::string_view id, std::string_view key) const;
    void set_data(std::string_view id, std::string_view key, std::string value);
    void remove_data(std::string_view id, std::string_view key);

    // Into the state, as changes of the block at `height`, which is no lower than that of any commit
    // before. Without it nothing has happened; after it the update is empty and can be used again.
    void commit(Height height);

private:
    AccountChanges& changes_of(std::string_view id);
    // nullptr: unchanged since the state.
    const AccountChanges* find_changes(std::string_view id) const;
    Value<Account> find_account(std::string_view id) const;
    Value<AccessKey> find_key(std::string_view id, const std::string& record) const;
    Value<Bytes> find_own_code(std::string_view id) const;
    Value<Bytes> find_global(const wire::GlobalContractId& contract) const;
    Value<Bytes> find_code(std::string_view id) const;
    Value<std::string> find_data(std::string_view id, std::string_view key) const;
    // Changes the members that follow from other records; does nothing where there is no account.
    template <class Change>
    void adjust(std::string_view id, Change change);

    State& state_;
    StateChanges changes_;
};

}  // namespace receiptd::sandbox::sim
