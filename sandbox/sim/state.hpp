// Accounts, keys, code and contract data, with every past value, so that any height can be looked at.
#pragma once

#include "sandbox/sim/model.hpp"
#include "sandbox/sim/state_changes.hpp"

#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace receiptd::sandbox::sim {

// As it stands after all chunks of the newest applied block.
inline constexpr Height kNewest = std::numeric_limits<Height>::max();

using KeyList = std::vector<std::pair<PublicKey, AccessKey>>;       // by key text
using DataList = std::vector<std::pair<std::string, std::string>>;  // by key

// The kinds of changes that EXPERIMENTAL_changes_in_block names.
enum class Touch : std::uint8_t { account, access_key, data, contract_code };

// The state of one shard, or of a chain without shards.
class State {
public:
    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    State(State&&) = default;
    State& operator=(State&&) = default;

    // As it stood after the block at `at` was applied.
    std::optional<Account> account(std::string_view id, Height at = kNewest) const;
    std::optional<AccessKey> access_key(std::string_view id, const PublicKey& key, Height at = kNewest) const;
    KeyList access_keys(std::string_view id, Height at = kNewest) const;
    // The code that the account runs: its own or that of the global contract it uses.
    std::optional<Bytes> code(std::string_view id, Height at = kNewest) const;
    // The hash of that code; nullopt: no account, or no contract on it.
    std::optional<CryptoHash> contract_hash(std::string_view id, Height at = kNewest) const;
    // As far as this shard has it; contracts come from the shard that they are deployed on.
    std::optional<Bytes> global_contract(const wire::GlobalContractId& contract, Height at = kNewest) const;
    std::optional<std::string> data(std::string_view id, std::string_view key, Height at = kNewest) const;
    DataList data_with_prefix(std::string_view id, std::string_view prefix, Height at = kNewest) const;

    // Accounts that the block at that height changed, with the kind of change, in order and without repeats.
    std::vector<std::pair<std::string, Touch>> touched(Height height) const;
    // Commits to all changes so far: SHA-256 over the root before, the height and the changes, in
    // the order of the commits. Zero: nothing was ever changed.
    const CryptoHash& root() const { return root_; }
    // Sum of amount and locked of all accounts and of what their gas keys hold.
    u128 total_balance() const { return total_balance_; }

    // The accounts that belong to a part, with their past, and all global contracts. `salt` makes its root
    // another one than that of the other parts.
    State part(const std::function<bool(std::string_view)>& belongs, std::uint64_t salt) const;

    // A state as it stood: with the records, which keep their past, all that take_back() needs.
    struct Mark {
        Height height = 0;  // of the newest block
        CryptoHash root;
        u128 total_balance = 0;
    };
    Mark mark(Height newest) const { return {newest, root_, total_balance_}; }
    // All changes of the blocks above the mark's are gone. Their heights must not come again.
    void take_back(const Mark& mark);
    // How the state stood before the block at `height` is gone.
    void forget_below(Height height);

private:
    friend class StateUpdate;

    struct KeyHistory {
        PublicKey public_key;
        Versions<AccessKey> versions;
    };
    struct Records {
        Versions<Account> account;
        Versions<Bytes> code;
        std::map<std::string, KeyHistory, std::less<>> keys;
        std::map<std::string, Versions<std::string>, std::less<>> data;
    };

    const Records* find(std::string_view id) const;
    Value<Account> find_account(std::string_view id, Height at = kNewest) const;
    Value<AccessKey> find_key(std::string_view id, const std::string& record_key, Height at = kNewest) const;
    Value<Bytes> find_code(std::string_view id, Height at = kNewest) const;  // its own
    Value<Bytes> find_global(const wire::GlobalContractId& contract, Height at = kNewest) const;
    Value<std::uint64_t> find_global_nonce(const wire::GlobalContractId& contract) const;
    Value<std::string> find_data(std::string_view id, std::string_view key, Height at = kNewest) const;

    void apply(const StateChanges& changes, Height height);
    void apply_account(const std::string& name, const AccountChanges& changes, Height height);
    void clear(const std::string& id, Records& records, Height height);
    void set_key(const std::string& id, KeyHistory& history, Value<AccessKey> value, Height height);
    void touch(const std::string& id, Touch touch, Height height);

    std::map<std::string, Records, std::less<>> accounts_;
    struct GlobalContract {
        Versions<Bytes> code;
        Versions<std::uint64_t> nonce;
    };
    std::map<wire::GlobalContractId, GlobalContract> global_contracts_;
    using Touched = std::pair<const std::string*, Touch>;  // the account's name as it stands in accounts_
    std::map<Height, std::vector<Touched>> touched_;
    std::set<Touched> touched_now_;  // of the newest height, against repeats; its order shows nowhere
    Height newest_ = 0;
    CryptoHash root_;
    u128 total_balance_ = 0;
};

}  // namespace receiptd::sandbox::sim
