#include "sandbox/sim/state.hpp"

#include <algorithm>

namespace receiptd::sandbox::sim {

namespace {

template <class T>
std::optional<T> copy_of(const Value<T>& value) {
    return value ? std::optional<T>(*value) : std::nullopt;
}

u128 tokens_of(const Value<Account>& account) { return account ? account->amount + account->locked : 0; }
u128 tokens_of(const Value<AccessKey>& key) { return key ? gas_key_balance(*key) : 0; }

}  // namespace

const State::Records* State::find(std::string_view id) const {
    const auto it = accounts_.find(id);
    return it == accounts_.end() ? nullptr : &it->second;
}

Value<Account> State::find_account(std::string_view id, Height at) const {
    const Records* records = find(id);
    return records ? records->account.at(at) : nullptr;
}

Value<AccessKey> State::find_key(std::string_view id, const std::string& key, Height at) const {
    const Records* records = find(id);
    if (!records) return nullptr;
    const auto it = records->keys.find(key);
    return it == records->keys.end() ? nullptr : it->second.versions.at(at);
}

Value<Bytes> State::find_code(std::string_view id, Height at) const {
    const Records* records = find(id);
    return records ? records->code.at(at) : nullptr;
}

Value<Bytes> State::find_global(const wire::GlobalContractId& contract, Height at) const {
    const auto it = global_contracts_.find(contract);
    return it == global_contracts_.end() ? nullptr : it->second.code.at(at);
}

Value<std::uint64_t> State::find_global_nonce(const wire::GlobalContractId& contract) const {
    const auto it = global_contracts_.find(contract);
    return it == global_contracts_.end() ? nullptr : it->second.nonce.newest();
}

Value<std::string> State::find_data(std::string_view id, std::string_view key, Height at) const {
    const Records* records = find(id);
    if (!records) return nullptr;
    const auto it = records->data.find(key);
    return it == records->data.end() ? nullptr : it->second.at(at);
}

std::optional<Account> State::account(std::string_view id, Height at) const {
    return copy_of(find_account(id, at));
}

std::optional<AccessKey> State::access_key(std::string_view id, const PublicKey& key, Height at) const {
    return copy_of(find_key(id, record_key(key), at));
}

KeyList State::access_keys(std::string_view id, Height at) const {
    std::map<std::string, std::pair<PublicKey, AccessKey>> by_text;
    if (const Records* records = find(id))
        for (const auto& [record, history] : records->keys)
            if (const auto key = history.versions.at(at))
                by_text.try_emplace(history.public_key.to_string(), history.public_key, *key);
    KeyList list;
    for (auto& [text, entry] : by_text) list.push_back(std::move(entry));
    return list;
}

std::optional<Bytes> State::code(std::string_view id, Height at) const {
    const auto account = find_account(id, at);
    if (!account) return std::nullopt;
    return copy_of(account->global_contract ? find_global(*account->global_contract, at) : find_code(id, at));
}

std::optional<CryptoHash> State::contract_hash(std::string_view id, Height at) const {
    const auto account = find_account(id, at);
    if (!account) return std::nullopt;
    if (!account->global_contract) {
        if (account->code_hash == CryptoHash{}) return std::nullopt;
        return account->code_hash;
    }
    const auto code = find_global(*account->global_contract, at);
    return code ? std::optional<CryptoHash>(chain::sha256(*code)) : std::nullopt;
}

std::optional<Bytes> State::global_contract(const wire::GlobalContractId& contract, Height at) const {
    return copy_of(find_global(contract, at));
}

std::optional<std::string> State::data(std::string_view id, std::string_view key, Height at) const {
    return copy_of(find_data(id, key, at));
}

DataList State::data_with_prefix(std::string_view id, std::string_view prefix, Height at) const {
    DataList list;
    const Records* records = find(id);
    if (!records) return list;
    for (auto it = records->data.lower_bound(prefix); it != records->data.end(); ++it) {
        if (!it->first.starts_with(prefix)) break;
        if (const auto value = it->second.at(at)) list.emplace_back(it->first, *value);
    }
    return list;
}

std::vector<std::pair<std::string, Touch>> State::touched(Height height) const {
    std::vector<std::pair<std::string, Touch>> list;
    const auto it = touched_.find(height);
    if (it != touched_.end())
        for (const auto& [id, touch] : it->second) list.emplace_back(*id, touch);
    return list;
}

void State::touch(const std::string& id, Touch touch, Height height) {
    if (touched_now_.emplace(&id, touch).second) touched_[height].emplace_back(&id, touch);
}

void State::set_key(const std::string& id, KeyHistory& history, Value<AccessKey> value, Height height) {
    total_balance_ += tokens_of(value);
    total_balance_ -= tokens_of(history.versions.newest());
    history.versions.set(height, std::move(value));
    touch(id, Touch::access_key, height);
}

void State::clear(const std::string& id, Records& records, Height height) {
    for (auto& [record, history] : records.keys)
        if (history.versions.newest()) set_key(id, history, nullptr, height);
    if (records.code.newest()) {
        records.code.set(height, nullptr);
        touch(id, Touch::contract_code, height);
    }
    for (auto& [key, versions] : records.data) {
        if (!versions.newest()) continue;
        versions.set(height, nullptr);
        touch(id, Touch::data, height);
    }
}

void State::apply_account(const std::string& name, const AccountChanges& changes, Height height) {
    auto& [id, records] = *accounts_.try_emplace(name).first;
    if (changes.account) {
        total_balance_ += tokens_of(*changes.account);
        total_balance_ -= tokens_of(records.account.newest());
        records.account.set(height, *changes.account);
        touch(id, Touch::account, height);
    }
    if (changes.cleared) clear(id, records, height);
    for (const auto& [record, change] : changes.keys) {
        const auto [it, is_new] = records.keys.try_emplace(record, KeyHistory{change.public_key, {}});
        if (is_new && !change.access_key) continue;
        set_key(id, it->second, change.access_key, height);
    }
    if (changes.code) {
        records.code.set(height, *changes.code);
        touch(id, Touch::contract_code, height);
    }
    for (const auto& [key, value] : changes.data) {
        records.data[key].set(height, value);
        touch(id, Touch::data, height);
    }
}

State State::part(const std::function<bool(std::string_view)>& belongs, std::uint64_t salt) const {
    State part;
    for (const auto& [id, records] : accounts_) {
        if (!belongs(id)) continue;
        part.accounts_.emplace(id, records);
        part.total_balance_ += tokens_of(records.account.newest());
        for (const auto& [record, history] : records.keys)
            part.total_balance_ += tokens_of(history.versions.newest());
    }
    part.global_contracts_ = global_contracts_;
    const auto own = [&](const Touched& touched) -> Touched {
        return {&part.accounts_.find(*touched.first)->first, touched.second};
    };
    for (const auto& [height, all] : touched_) {
        for (const Touched& touched : all)
            if (belongs(*touched.first)) part.touched_[height].push_back(own(touched));
    }
    for (const Touched& touched : touched_now_)
        if (belongs(*touched.first)) part.touched_now_.insert(own(touched));
    part.newest_ = newest_;
    chain::Writer writer;
    writer.hash(root_);
    writer.u64(salt);
    part.root_ = chain::sha256(writer.result());
    return part;
}

void State::take_back(const Mark& mark) {
    for (auto it = touched_.upper_bound(mark.height); it != touched_.end(); it = touched_.erase(it)) {
        for (const auto& [id, touch] : it->second) {
            Records& records = accounts_.at(*id);
            records.account.forget_above(mark.height);
            records.code.forget_above(mark.height);
            for (auto& [key, history] : records.keys) history.versions.forget_above(mark.height);
            for (auto& [key, versions] : records.data) versions.forget_above(mark.height);
        }
    }
    for (auto& [id, contract] : global_contracts_) {
        contract.code.forget_above(mark.height);
        contract.nonce.forget_above(mark.height);
    }
    root_ = mark.root;
    total_balance_ = mark.total_balance;
}

void State::forget_below(Height height) {
    // A value that no block above the last forgotten one changed was cut when its own block was forgotten.
    std::set<const std::string*> changed;
    const auto end = touched_.lower_bound(height);
    for (auto it = touched_.begin(); it != end; ++it)
        for (const auto& [id, touch] : it->second) changed.insert(id);
    touched_.erase(touched_.begin(), end);
    for (const std::string* id : changed) {
        const auto account = accounts_.find(*id);
        Records& records = account->second;
        for (auto key = records.keys.begin(); key != records.keys.end();)
            key = key->second.versions.forget_below(height) ? std::next(key) : records.keys.erase(key);
        for (auto entry = records.data.begin(); entry != records.data.end();)
            entry = entry->second.forget_below(height) ? std::next(entry) : records.data.erase(entry);
        const bool has_code = records.code.forget_below(height);
        if (!records.account.forget_below(height) && !has_code && records.keys.empty() &&
            records.data.empty())
            accounts_.erase(account);
    }
    for (auto& [id, contract] : global_contracts_) {
        contract.code.forget_below(height);
        contract.nonce.forget_below(height);
    }
}

void State::apply(const StateChanges& changes, Height height) {
    if (changes.empty()) return;
    if (height > newest_) touched_now_.clear();
    newest_ = std::max(newest_, height);
    for (const auto& [id, account] : changes.accounts) apply_account(id, account, height);
    for (const auto& [id, code] : changes.global_contracts) global_contracts_[id].code.set(height, code);
    for (const auto& [id, nonce] : changes.global_nonces) global_contracts_[id].nonce.set(height, nonce);
    chain::Writer writer;
    writer.hash(root_);
    writer.u64(height);
    writer.hash(digest(changes));
    root_ = chain::sha256(writer.result());
}

}  // namespace receiptd::sandbox::sim
