// Transactions that the chain executes again under the same hash.
#include "sandbox/ledger/ledger.hpp"
#include "sandbox/sim/state_update.hpp"

#include <memory>

namespace receiptd::sandbox {

namespace {

void give_nonce_back(Shard& shard, const sim::wire::Transaction& body, Height height) {
    sim::StateUpdate update(shard.state);
    auto key = update.access_key(body.signer_id, body.public_key);
    if (!key || body.nonce.nonce_index || key->nonce < body.nonce.nonce) return;
    key->nonce = body.nonce.nonce - 1;
    update.set_access_key(body.signer_id, body.public_key, *key);
    update.commit(height);
}

}  // namespace

bool Ledger::execute_again(std::string_view hash, bool refused) {
    const auto parsed = CryptoHash::parse(hash);
    const Submission* submission = parsed ? submissions_.find(*parsed) : nullptr;
    if (submission == nullptr || submission->fate != Fate::included) return false;
    auto record = std::make_shared<TransactionRecord>(*submission->transaction);
    record->again = true;
    again_.push_back({std::move(record), refused});
    return true;
}

void Ledger::list_again(Shard& shard, ChunkRecord& chunk) {
    std::erase_if(again_, [&](const Again& again) {
        const auto& body = again.transaction->body();
        if (chunk.layout->index_of(body.signer_id) != shard.index) return false;
        if (!again.refused) give_nonce_back(shard, body, chunk.height);
        chunk.transactions.push_back(again.transaction);
        return true;
    });
}

}  // namespace receiptd::sandbox
