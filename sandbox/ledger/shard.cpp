#include "sandbox/ledger/shard.hpp"

#include "sandbox/ledger/chain_hashes.hpp"
#include "sandbox/sim/limits.hpp"
#include "sandbox/sim/state_update.hpp"

#include <algorithm>

namespace receiptd::sandbox {

namespace {

constexpr double kTooManyMissedChunks = 125;

std::vector<ReceiptPtr> share(std::vector<sim::Receipt> receipts) {
    std::vector<ReceiptPtr> shared;
    shared.reserve(receipts.size());
    for (sim::Receipt& receipt : receipts)
        shared.push_back(std::make_shared<const sim::Receipt>(std::move(receipt)));
    return shared;
}

sim::ShardInput make_input(Shard& shard, const ChunkRecord& chunk) {
    sim::ShardInput input;
    for (const TransactionPtr& transaction : chunk.transactions) {
        input.transactions.push_back(transaction->signed_transaction);
    }
    for (const ReceiptPtr& receipt : shard.inbox) input.incoming.push_back(*receipt);
    shard.inbox.clear();
    input.gas_limit = shard.congested_blocks > 0 ? Shard::kCongestedGas : chunk.gas_limit;
    return input;
}

CongestionInfo congestion_of(const Shard& shard, std::uint64_t shard_id, const LedgerOptions& options) {
    CongestionInfo info;
    info.delayed_receipts_gas = shard.queues.delayed_gas();
    info.allowed_shard = static_cast<std::uint16_t>(shard_id);
    if (shard.congested_blocks > 0 && shard.pretended_congestion > 0) {
        const auto pretended =
            static_cast<u128>(shard.pretended_congestion * static_cast<double>(options.congestion_gas));
        info.delayed_receipts_gas = std::max(info.delayed_receipts_gas, pretended);
    }
    return info;
}

void add_executions(Application& application, sim::ShardResult& result) {
    application.transactions = result.transaction_outcomes.size();
    for (sim::Outcome& outcome : result.transaction_outcomes) {
        application.executions.push_back({std::move(outcome), nullptr});
    }
    for (sim::ExecutedReceipt& executed : result.executed) {
        application.executions.push_back(
            {std::move(executed.outcome), std::make_shared<const sim::Receipt>(std::move(executed.receipt))});
    }
    for (const Execution& execution : application.executions) {
        application.tree.append(outcome_leaf(execution.outcome));
    }
    application.outcome_root = application.tree.root();
}

}  // namespace

void Shard::take_back(Mark mark) {
    state.take_back(mark.state);
    queues = std::move(mark.queues);
    applied = std::move(mark.applied);
    inbox = std::move(mark.inbox);
    missed_chunks = mark.missed_chunks;
}

void add_genesis_account(Shard& shard, const GenesisAccount& account, Height genesis_height) {
    sim::StateUpdate update(shard.state);
    sim::Account record;
    record.amount = account.amount;
    record.locked = account.locked;
    update.set_account(account.account_id, record);
    for (const auto& [key, access_key] : account.access_keys) {
        update.set_access_key(account.account_id, key, access_key);
    }
    if (!account.code.empty()) update.set_code(account.account_id, account.code);
    for (const auto& [key, value] : account.data) update.set_data(account.account_id, key, value);
    update.commit(genesis_height);
}

void add_genesis_wallet(Shard& shard, Height genesis_height) {
    sim::StateUpdate update(shard.state);
    const chain::ByteView code = chain::bytes_of(sim::kEthWalletCode);
    update.set_global_contract(chain::sha256(code), chain::Bytes(code.begin(), code.end()));
    update.commit(genesis_height);
}

Shard child_of(const Shard& parent, const ShardLayout& layout, std::size_t index,
               const LedgerOptions& options) {
    const std::uint64_t shard_id = layout.shard_id(index);
    const auto is_here = [&](std::string_view account_id) { return layout.index_of(account_id) == index; };
    const auto runs_here = [&](const sim::Receipt& receipt) { return layout.index_of(receipt) == index; };
    Shard child(index);
    child.state = parent.state.part(is_here, shard_id);
    child.queues = parent.queues.part(runs_here);
    for (const ReceiptPtr& receipt : parent.inbox) {
        if (runs_here(*receipt)) child.inbox.push_back(receipt);
    }
    child.missed_chunks = parent.missed_chunks;
    child.withhold = parent.withhold;
    child.congested_blocks = parent.congested_blocks;
    child.pretended_congestion = parent.pretended_congestion;
    auto results = std::make_shared<Application>();
    results->height = parent.applied->height;
    results->shard_id = shard_id;
    results->outcome_root = parent.applied->outcome_root;
    results->state_root = child.state.root();
    results->gas_used = parent.applied->gas_used;
    results->tokens_burnt = parent.applied->tokens_burnt;
    results->congestion = congestion_of(child, shard_id, options);
    if (layout.indexes_from(layout.split()->shard_id).front() == index)
        results->outgoing = parent.applied->outgoing;
    child.applied = std::move(results);
    return child;
}

void apply_chunk(Shard& shard, ChunkRecord& chunk, const sim::BlockContext& block,
                 const LedgerOptions& options, const sim::Contracts& contracts) {
    sim::ShardResult result =
        sim::apply_shard(shard.state, shard.queues, block, make_input(shard, chunk), contracts);
    auto application = std::make_shared<Application>();
    application->height = block.height;
    application->shard_id = block.shard_id;
    add_executions(*application, result);
    application->state_root = shard.state.root();
    application->gas_used = result.gas_used;
    application->tokens_burnt = result.tokens_burnt;
    application->congestion = congestion_of(shard, block.shard_id, options);
    application->locals = share(std::move(result.local));
    application->instant = share(std::move(result.instant));
    application->timed_out = std::move(result.timed_out);
    application->outgoing = share(std::move(result.outgoing));
    if (shard.congested_blocks > 0) --shard.congested_blocks;
    shard.missed_chunks = 0;
    shard.applied = application;
    chunk.application = std::move(application);
}

double congestion_level(const CongestionInfo& info, std::uint64_t missed_chunks, Gas congestion_gas) {
    const double delayed =
        static_cast<double>(info.delayed_receipts_gas) / static_cast<double>(congestion_gas);
    const double missed = static_cast<double>(missed_chunks) / kTooManyMissedChunks;
    return std::clamp(std::max(delayed, missed), 0.0, 1.0);
}

}  // namespace receiptd::sandbox
