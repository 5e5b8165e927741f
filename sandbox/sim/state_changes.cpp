#include "sandbox/sim/state_changes.hpp"

#include "chain/wire/borsh.hpp"

namespace receiptd::sandbox::sim {

namespace {

void write_access_key(chain::Writer& writer, const PublicKey& key, const Value<AccessKey>& access_key) {
    key.write(writer);
    writer.option(access_key != nullptr);
    if (!access_key) return;
    // The action's bytes hold the whole key and permission.
    wire::write_actions(writer, {wire::Action{wire::AddKey{key, *access_key}}});
    for (const std::uint64_t nonce : access_key->nonces) writer.u64(nonce);
}

void write_account(chain::Writer& writer, const Value<Account>& account) {
    writer.option(account != nullptr);
    if (!account) return;
    writer.u128(account->amount);
    writer.u128(account->locked);
    writer.hash(account->code_hash);
    writer.u64(account->storage_usage);
    writer.option(account->global_contract.has_value());
    if (account->global_contract)
        wire::write_actions(writer, {wire::Action{wire::UseGlobalContract{*account->global_contract}}});
}

void write_changes(chain::Writer& writer, const AccountChanges& changes) {
    writer.boolean(changes.cleared);
    writer.option(changes.account.has_value());
    if (changes.account) write_account(writer, *changes.account);
    writer.option(changes.code.has_value());
    if (changes.code) writer.hash(*changes.code ? chain::sha256(**changes.code) : CryptoHash{});
    writer.count(changes.keys.size());
    for (const auto& [record, change] : changes.keys)
        write_access_key(writer, change.public_key, change.access_key);
    writer.count(changes.data.size());
    for (const auto& [key, value] : changes.data) {
        writer.string(key);
        writer.option(value != nullptr);
        if (value) writer.string(*value);
    }
}

}  // namespace

std::string record_key(const PublicKey& key) {
    std::string text(1, static_cast<char>(key.type()));
    text += chain::text_of(key.raw());
    return text;
}

CryptoHash digest(const StateChanges& changes) {
    chain::Writer writer;
    writer.count(changes.accounts.size());
    for (const auto& [id, account] : changes.accounts) {
        writer.string(id);
        write_changes(writer, account);
    }
    for (const auto& [id, code] : changes.global_contracts) {
        wire::write_actions(writer, {wire::Action{wire::UseGlobalContract{id}}});
        writer.hash(chain::sha256(*code));
    }
    for (const auto& [id, nonce] : changes.global_nonces) {
        wire::write_actions(writer, {wire::Action{wire::UseGlobalContract{id}}});
        writer.u64(*nonce);
    }
    return chain::sha256(writer.result());
}

const wire::GasKeyInfo* gas_key_info(const wire::AccessKey& access_key) {
    if (const auto* full = std::get_if<wire::GasKeyFullAccess>(&access_key.permission)) return &full->gas_key;
    if (const auto* call = std::get_if<wire::GasKeyFunctionCall>(&access_key.permission))
        return &call->gas_key;
    return nullptr;
}

wire::GasKeyInfo* gas_key_info(wire::AccessKey& access_key) {
    return const_cast<wire::GasKeyInfo*>(gas_key_info(std::as_const(access_key)));
}

std::uint64_t& nonce_at(AccessKey& access_key, const std::optional<std::uint16_t>& index) {
    if (!index) return access_key.nonce;
    access_key.nonces.resize(gas_key_info(access_key)->num_nonces);
    return access_key.nonces.at(*index);
}

u128 gas_key_balance(const wire::AccessKey& access_key) {
    const auto* gas_key = gas_key_info(access_key);
    return gas_key ? gas_key->balance : 0;
}

}  // namespace receiptd::sandbox::sim
