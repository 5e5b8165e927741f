// Transactions on their way into a chunk, and those that get lost on it.
#include "sandbox/ledger/ledger.hpp"
#include "sandbox/sim/state_update.hpp"
#include "sandbox/sim/validate.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace receiptd::sandbox {

namespace wire = sim::wire;

namespace {

constexpr double kCongested = 0.8;
constexpr std::uint64_t kStuckMissedChunks = 100;  // of 125

bool is_variant(const Json& error, const char* name) {
    return error.is_object() ? error.contains(name) : error == name;
}

// The reason why a transaction was lost that was valid once.
const char* loss_of(const Json& error) {
    if (is_variant(error, "InvalidNonce")) return "superseded";
    for (const char* name : {"NotEnoughBalance", "NotEnoughGasKeyBalance", "LackBalanceForState"})
        if (is_variant(error, name)) return "balance";
    return "invalid";
}

}  // namespace

// nearcore measures from the newest block, the parent of the one that would hold the transaction. A block
// that nobody knows is too old.
bool Ledger::is_too_old(const wire::Transaction& transaction, Height at) const {
    const BlockRecord* base = store_.by_hash(transaction.block_hash);
    if (base == nullptr) base = store_.lost(transaction.block_hash);
    return base == nullptr || base->height > at || at > base->height + options_.validity_blocks;
}

std::optional<Json> Ledger::validate(const wire::SignedTransaction& transaction, Height at) const {
    const wire::Transaction& body = transaction.transaction;
    if (is_too_old(body, at)) return Json("Expired");  // or not known, as recorded on real nodes
    if (store_.by_hash(body.block_hash) == nullptr) return Json("InvalidChain");
    if (auto error = check_congestion(body.receiver_id)) return error;
    // No node objects to a nonce beyond its bound; such a transaction comes into no chunk.
    const BlockRecord* head = store_.at_height(at);
    const auto gas_price = head == nullptr ? store_.newest().gas_price : head->gas_price;
    const sim::ValidationContext context{*store_.newest().protocol, gas_price, std::nullopt};
    if (auto error = sim::check_actions_size_signature(transaction, context)) return error;
    return sim::check_against_state(transaction, {shard_of(body.signer_id).state, at}, context);
}

std::optional<Json> Ledger::check_congestion(std::string_view receiver_id) const {
    const Shard& shard = shard_of(receiver_id);
    const std::uint64_t shard_id = layout_->shard_id(shard.index);
    if (shard.missed_chunks >= kStuckMissedChunks) {
        return Json{{"ShardStuck", {{"shard_id", shard_id}, {"missed_chunks", shard.missed_chunks}}}};
    }
    const double level =
        sandbox::congestion_level(shard.applied->congestion, shard.missed_chunks, options_.congestion_gas);
    if (level < kCongested) return std::nullopt;
    return Json{{"ShardCongested", {{"shard_id", shard_id}, {"congestion_level", level}}}};
}

void Ledger::submit(const wire::SignedTransaction& transaction) {
    auto record = std::make_shared<TransactionRecord>();
    record->signed_transaction = transaction;
    record->hash = wire::transaction_hash(transaction.transaction);
    if (const Submission* known = submissions_.find(record->hash); known && known->fate != Fate::rejected)
        return;
    Submission& submission = submissions_.add(record, tip());
    submission.accepted_height = tip();
    const std::optional<DropHow> wish = mempool_.drop_of(record->hash);
    if (wish == DropHow::forwarding) return end(submission, Fate::forwarding_failed, tip(), "", nullptr);
    if (auto error = validate(transaction, tip())) {
        return end(submission, Fate::rejected, tip(), "", {{"InvalidTxError", std::move(*error)}});
    }
    end(submission, Fate::pending, tip(), "", nullptr);
    mempool_.add(layout_->index_of(record->body().signer_id), {record, tip()});
    if (wish) make_drop_real(*record, *wish);
}

std::vector<TransactionPtr> Ledger::take_transactions(Shard& shard, Height height) {
    std::vector<TransactionPtr> taken;
    std::unordered_set<CryptoHash, HashOfHash> gone;
    sim::StateUpdate scratch(shard.state);  // never committed: applying the chunk charges for real
    Gas gas = 0;
    for (const PendingTransaction& pending : mempool_.in_order(shard.index)) {
        // Conversions may fill half of a chunk.
        if (gas > options_.gas_limit / 2) break;
        const Turn turn = turn_of(pending, *submissions_.find(pending.transaction->hash), scratch, height);
        if (turn == Turn::wait) continue;
        gone.insert(pending.transaction->hash);
        if (turn == Turn::drop) continue;
        if (const auto cost =
                sim::transaction_cost(*store_.newest().protocol, pending.transaction->body(), 0))
            gas += cost->burnt;
        taken.push_back(pending.transaction);
    }
    mempool_.remove(shard.index, gone);
    return taken;
}

Ledger::Turn Ledger::turn_of(const PendingTransaction& pending, Submission& submission,
                             sim::StateUpdate& scratch, Height height) {
    const TransactionRecord& transaction = *pending.transaction;
    const BlockRecord* base = store_.by_hash(transaction.body().block_hash);
    if (base == nullptr) {  // it was of a fork that lost
        end(submission, Fate::dropped, height, "invalid", {{"InvalidTxError", "InvalidChain"}});
        return Turn::drop;
    }
    if (is_too_old(transaction.body(), tip())) {
        end(submission, Fate::expired, height, "",
            {{"block_hash_height", base->height}, {"validity_blocks", options_.validity_blocks}});
        return Turn::drop;
    }
    if (height <= pending.accepted_height + mempool_.delay_of(transaction.hash)) return Turn::wait;
    if (const auto how = mempool_.drop_of(transaction.hash))
        return turn_of_unwanted(*how, pending, submission, height);
    const sim::ValidationContext context{*store_.newest().protocol, store_.newest().gas_price, height};
    const sim::StateCharge charge = sim::charge_transaction(scratch, transaction.signed_transaction, context);
    const auto* error = std::get_if<Json>(&charge);
    if (error == nullptr || mempool_.is_included_anyway(transaction.hash)) return Turn::take;
    end(submission, Fate::dropped, height, loss_of(*error), {{"InvalidTxError", *error}});
    return Turn::drop;
}

Ledger::Turn Ledger::turn_of_unwanted(DropHow how, const PendingTransaction& pending, Submission& submission,
                                      Height height) {
    const TransactionRecord& transaction = *pending.transaction;
    if (how == DropHow::expired) return Turn::wait;
    if (how == DropHow::forwarding) {
        end(submission, Fate::forwarding_failed, height, "", nullptr);
        return Turn::drop;
    }
    sim::StateUpdate scratch(shards_[layout_->index_of(transaction.body().signer_id)].state);
    const sim::ValidationContext context{*store_.newest().protocol, store_.newest().gas_price, height};
    const sim::StateCharge charge = sim::charge_transaction(scratch, transaction.signed_transaction, context);
    if (const auto* error = std::get_if<Json>(&charge)) {
        end(submission, Fate::dropped, height, loss_of(*error), {{"InvalidTxError", *error}});
        return Turn::drop;
    }
    if (how == DropHow::superseded) return Turn::wait;
    const Submission* helper = submission.helper ? submissions_.find(*submission.helper) : nullptr;
    if (helper != nullptr && helper->fate == Fate::pending) return Turn::wait;
    end(submission, Fate::dropped, height, "balance", nullptr);
    return Turn::drop;
}

void Ledger::end(Submission& submission, Fate fate, Height height, std::string reason, Json evidence) {
    submission.fate = fate;
    submission.fate_height = height;
    submission.reason = std::move(reason);
    if (!evidence.is_null()) submission.evidence = std::make_shared<const Json>(std::move(evidence));
}

Ledger::DropAnswer Ledger::wish_for(std::string_view hash,
                                    const std::function<void(const CryptoHash&)>& wish) {
    const auto parsed = CryptoHash::parse(hash);
    if (!parsed) return DropAnswer::unknown_hash;
    const Submission* submission = submissions_.find(*parsed);
    if (submission != nullptr && submission->fate == Fate::included) return DropAnswer::already_included;
    wish(*parsed);
    return DropAnswer::noted;
}

Ledger::DropAnswer Ledger::drop(std::string_view hash, DropHow how) {
    return wish_for(hash, [&](const CryptoHash& parsed) {
        mempool_.wish_drop(parsed, how);
        const Submission* submission = submissions_.find(parsed);
        if (submission != nullptr && submission->fate == Fate::pending)
            make_drop_real(*submission->transaction, how);
    });
}

Ledger::DropAnswer Ledger::delay(std::string_view hash, std::uint64_t blocks) {
    return wish_for(hash, [&](const CryptoHash& parsed) { mempool_.wish_delay(parsed, blocks); });
}

Ledger::DropAnswer Ledger::include_anyway(std::string_view hash) {
    return wish_for(hash, [&](const CryptoHash& parsed) { mempool_.wish_include(parsed); });
}

}  // namespace receiptd::sandbox
