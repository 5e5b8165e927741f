#include "sandbox/sim/state_update.hpp"

#include "sandbox/sim/storage_usage.hpp"

namespace receiptd::sandbox::sim {

namespace {

template <class T>
std::optional<T> value_of(const Value<T>& value) {
    return value ? std::optional<T>(*value) : std::nullopt;
}

// Storage of records that were set before their account.
std::uint64_t storage_of(const AccountChanges& changes) {
    std::uint64_t bytes = 0;
    for (const auto& [record, change] : changes.keys)
        if (change.access_key) bytes += key_storage(change.public_key, *change.access_key);
    for (const auto& [key, value] : changes.data)
        if (value) bytes += data_storage(key, *value);
    if (changes.code && *changes.code) bytes += (*changes.code)->size();
    return bytes;
}

}  // namespace

AccountChanges& StateUpdate::changes_of(std::string_view id) {
    const auto it = changes_.accounts.find(id);
    return it != changes_.accounts.end() ? it->second : changes_.accounts[std::string(id)];
}

const AccountChanges* StateUpdate::find_changes(std::string_view id) const {
    const auto it = changes_.accounts.find(id);
    return it == changes_.accounts.end() ? nullptr : &it->second;
}

Value<Account> StateUpdate::find_account(std::string_view id) const {
    const AccountChanges* changes = find_changes(id);
    return changes && changes->account ? *changes->account : state_.find_account(id);
}

Value<AccessKey> StateUpdate::find_key(std::string_view id, const std::string& record) const {
    if (const AccountChanges* changes = find_changes(id)) {
        const auto it = changes->keys.find(record);
        if (it != changes->keys.end()) return it->second.access_key;
        if (changes->cleared) return nullptr;
    }
    return state_.find_key(id, record);
}

Value<Bytes> StateUpdate::find_own_code(std::string_view id) const {
    if (const AccountChanges* changes = find_changes(id)) {
        if (changes->code) return *changes->code;
        if (changes->cleared) return nullptr;
    }
    return state_.find_code(id);
}

Value<Bytes> StateUpdate::find_global(const wire::GlobalContractId& contract) const {
    const auto it = changes_.global_contracts.find(contract);
    return it != changes_.global_contracts.end() ? it->second : state_.find_global(contract);
}

Value<Bytes> StateUpdate::find_code(std::string_view id) const {
    const auto account = find_account(id);
    if (!account) return nullptr;
    return account->global_contract ? find_global(*account->global_contract) : find_own_code(id);
}

Value<std::string> StateUpdate::find_data(std::string_view id, std::string_view key) const {
    if (const AccountChanges* changes = find_changes(id)) {
        const auto it = changes->data.find(key);
        if (it != changes->data.end()) return it->second;
        if (changes->cleared) return nullptr;
    }
    return state_.find_data(id, key);
}

template <class Change>
void StateUpdate::adjust(std::string_view id, Change change) {
    const auto before = find_account(id);
    if (!before) return;
    auto after = std::make_shared<Account>(*before);
    change(*after);
    changes_of(id).account = std::move(after);
}

std::optional<Account> StateUpdate::account(std::string_view id) const { return value_of(find_account(id)); }

void StateUpdate::set_account(std::string_view id, const Account& account) {
    auto after = std::make_shared<Account>();
    AccountChanges& changes = changes_of(id);
    if (const auto before = find_account(id)) {
        *after = *before;
    } else {
        after->storage_usage = kAccountBytes + storage_of(changes);
        if (changes.code && *changes.code) after->code_hash = chain::sha256(**changes.code);
    }
    after->amount = account.amount;
    after->locked = account.locked;
    changes.account = std::move(after);
}

void StateUpdate::remove_account(std::string_view id) {
    AccountChanges& changes = changes_of(id);
    changes = AccountChanges{};
    changes.cleared = true;
    changes.account = Value<Account>{};
}

std::optional<AccessKey> StateUpdate::access_key(std::string_view id, const PublicKey& key) const {
    return value_of(find_key(id, record_key(key)));
}

void StateUpdate::set_access_key(std::string_view id, const PublicKey& key, const AccessKey& access_key) {
    const std::string record = record_key(key);
    const auto before = find_key(id, record);
    const std::uint64_t minus = before ? key_storage(key, *before) : 0;
    const std::uint64_t plus = key_storage(key, access_key);
    if (plus != minus) adjust(id, [&](Account& account) { account.storage_usage += plus - minus; });
    changes_of(id).keys.insert_or_assign(record, KeyChange{key, std::make_shared<AccessKey>(access_key)});
}

void StateUpdate::remove_access_key(std::string_view id, const PublicKey& key) {
    const std::string record = record_key(key);
    const auto before = find_key(id, record);
    if (!before) return;
    adjust(id, [&](Account& account) { account.storage_usage -= key_storage(key, *before); });
    changes_of(id).keys.insert_or_assign(record, KeyChange{key, nullptr});
}

KeyList StateUpdate::access_keys(std::string_view id) const {
    const AccountChanges* changes = find_changes(id);
    std::map<std::string, std::pair<PublicKey, AccessKey>> by_text;
    if (!changes || !changes->cleared)
        for (auto& entry : state_.access_keys(id)) by_text.insert_or_assign(entry.first.to_string(), entry);
    if (changes) {
        for (const auto& [record, change] : changes->keys) {
            const std::string text = change.public_key.to_string();
            by_text.erase(text);
            if (change.access_key) by_text.try_emplace(text, change.public_key, *change.access_key);
        }
    }
    KeyList list;
    for (auto& [text, entry] : by_text) list.push_back(std::move(entry));
    return list;
}

std::optional<Bytes> StateUpdate::code(std::string_view id) const { return value_of(find_code(id)); }

std::optional<CryptoHash> StateUpdate::contract_hash(std::string_view id) const {
    const auto account = find_account(id);
    if (!account) return std::nullopt;
    if (!account->global_contract) {
        if (account->code_hash == CryptoHash{}) return std::nullopt;
        return account->code_hash;
    }
    const auto code = find_global(*account->global_contract);
    return code ? std::optional<CryptoHash>(chain::sha256(*code)) : std::nullopt;
}

void StateUpdate::set_code(std::string_view id, Bytes code) {
    const auto before = find_own_code(id);
    auto after = std::make_shared<const Bytes>(std::move(code));
    adjust(id, [&](Account& account) {
        if (account.global_contract) account.storage_usage -= contract_id_storage(*account.global_contract);
        account.storage_usage += after->size() - (before ? before->size() : 0);
        account.global_contract.reset();
        account.code_hash = chain::sha256(*after);
    });
    changes_of(id).code = std::move(after);
}

void StateUpdate::use_global_contract(std::string_view id, const wire::GlobalContractId& contract) {
    const auto before = find_own_code(id);
    adjust(id, [&](Account& account) {
        if (account.global_contract) account.storage_usage -= contract_id_storage(*account.global_contract);
        account.storage_usage += contract_id_storage(contract) - (before ? before->size() : 0);
        account.global_contract = contract;
        account.code_hash = CryptoHash{};
    });
    if (before) changes_of(id).code = Value<Bytes>{};
}

std::optional<Bytes> StateUpdate::global_contract(const wire::GlobalContractId& contract) const {
    return value_of(find_global(contract));
}

void StateUpdate::set_global_contract(const wire::GlobalContractId& contract, Bytes code) {
    changes_.global_contracts[contract] = std::make_shared<const Bytes>(std::move(code));
}

std::uint64_t StateUpdate::global_contract_nonce(const wire::GlobalContractId& contract) const {
    const auto it = changes_.global_nonces.find(contract);
    const auto nonce = it != changes_.global_nonces.end() ? it->second : state_.find_global_nonce(contract);
    return nonce ? *nonce : 0;
}

void StateUpdate::set_global_contract_nonce(const wire::GlobalContractId& contract, std::uint64_t nonce) {
    changes_.global_nonces[contract] = std::make_shared<const std::uint64_t>(nonce);
}

std::optional<std::string> StateUpdate::data(std::string_view id, std::string_view key) const {
    return value_of(find_data(id, key));
}

void StateUpdate::set_data(std::string_view id, std::string_view key, std::string value) {
    const auto before = find_data(id, key);
    const std::uint64_t minus = before ? data_storage(key, *before) : 0;
    const std::uint64_t plus = data_storage(key, value);
    if (plus != minus) adjust(id, [&](Account& account) { account.storage_usage += plus - minus; });
    changes_of(id).data.insert_or_assign(std::string(key),
                                         std::make_shared<const std::string>(std::move(value)));
}

void StateUpdate::remove_data(std::string_view id, std::string_view key) {
    const auto before = find_data(id, key);
    if (!before) return;
    adjust(id, [&](Account& account) { account.storage_usage -= data_storage(key, *before); });
    changes_of(id).data.insert_or_assign(std::string(key), Value<std::string>{});
}

void StateUpdate::commit(Height height) {
    state_.apply(changes_, height);
    changes_ = StateChanges{};
}

}  // namespace receiptd::sandbox::sim
