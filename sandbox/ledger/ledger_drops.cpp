// The ledger's own transactions, by which a drop on request becomes a real one.
#include "sandbox/ledger/ledger.hpp"
#include "sandbox/sim/fees.hpp"
#include "sandbox/sim/storage_usage.hpp"

namespace receiptd::sandbox {

namespace wire = sim::wire;

namespace {

wire::SignedTransaction sign(wire::Transaction transaction, const sim::SecretKey& key) {
    const chain::Signature signature = key.sign(wire::transaction_hash(transaction).view());
    return {std::move(transaction), signature};
}

}  // namespace

const sim::SecretKey* Ledger::known_key(std::string_view account_id, const chain::PublicKey& key) const {
    const auto keys = known_keys_.find(account_id);
    if (keys == known_keys_.end()) return nullptr;
    for (const sim::SecretKey& secret : keys->second) {
        if (secret.public_key() == key) return &secret;
    }
    return nullptr;
}

// Its nonce, where the key is there and may do everything.
std::optional<std::uint64_t> Ledger::full_access_nonce(std::string_view account_id,
                                                       const chain::PublicKey& key) const {
    const auto access_key = shard_of(account_id).state.access_key(account_id, key);
    if (!access_key || !std::holds_alternative<wire::FullAccess>(access_key->permission)) return std::nullopt;
    return access_key->nonce;
}

void Ledger::make_drop_real(const TransactionRecord& transaction, DropHow how) {
    const wire::Transaction& body = transaction.body();
    if (how == DropHow::balance) return drain(transaction);
    if (how != DropHow::superseded || body.nonce.nonce_index) return;
    const sim::SecretKey* key = known_key(body.signer_id, body.public_key);
    if (key == nullptr || !full_access_nonce(body.signer_id, body.public_key)) return;
    submit_own(transaction, *key, body.nonce.nonce, body.signer_id, 0);
}

// A transfer, in the place of or before `victim`.
void Ledger::submit_own(const TransactionRecord& victim, const sim::SecretKey& key, std::uint64_t nonce,
                        const std::string& receiver_id, u128 deposit) {
    wire::Transaction transaction;
    transaction.signer_id = victim.body().signer_id;
    transaction.public_key = key.public_key();
    transaction.nonce.nonce = nonce;
    transaction.receiver_id = receiver_id;
    transaction.block_hash = store_.newest().hash;
    transaction.actions.push_back({wire::Transfer{deposit}});
    const CryptoHash hash = wire::transaction_hash(transaction);
    submit(sign(std::move(transaction), key));
    submissions_.find(hash)->by_ledger = true;
    submissions_.find(victim.hash)->helper = hash;
}

void Ledger::drain(const TransactionRecord& transaction) {
    const wire::Transaction& body = transaction.body();
    const auto keys = known_keys_.find(body.signer_id);
    if (keys == known_keys_.end()) return;
    for (const sim::SecretKey& key : keys->second) {
        const auto nonce = full_access_nonce(body.signer_id, key.public_key());
        // With the transaction's own key there must be a nonce below its own.
        if (!nonce || (key.public_key() == body.public_key && *nonce + 1 >= body.nonce.nonce)) continue;
        wire::Transaction model = body;
        model.actions = {{wire::Transfer{0}}};
        model.receiver_id = validators_.all().front().account_id;
        const auto cost = sim::transaction_cost(*store_.newest().protocol, model, store_.newest().gas_price);
        const auto account = shard_of(body.signer_id).state.account(body.signer_id);
        if (!cost || !account) return;
        sim::Account emptied = *account;
        emptied.amount = 0;
        const u128 kept = cost->total + sim::storage_shortfall(emptied).value_or(0);
        if (account->amount <= kept) return;
        return submit_own(transaction, key, *nonce + 1, model.receiver_id, account->amount - kept);
    }
}

}  // namespace receiptd::sandbox
