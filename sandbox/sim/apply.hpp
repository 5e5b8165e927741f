// Applies one chunk to the state: the whole execution model (gateway.md §1, chain-model.md §1.2, §2-6).
#pragma once

#include "sandbox/sim/host.hpp"
#include "sandbox/sim/model.hpp"
#include "sandbox/sim/protocol.hpp"
#include "sandbox/sim/shard_queues.hpp"
#include "sandbox/sim/state.hpp"

namespace receiptd::sandbox::sim {

struct BlockContext {
    Height height = 0;
    std::uint64_t timestamp_nanosec = 0;
    CryptoHash random_value;
    u128 gas_price = 0;
    std::uint64_t yield_timeout_blocks = 200;
    std::uint64_t first_receipt_salt = 0;
    std::uint64_t shard_id = 0;              // of the chunk that is applied
    std::vector<std::uint64_t> shard_ids{};  // of the layout, in its order
    const Protocol* protocol = &usual_protocol();
};

struct ShardInput {
    std::vector<wire::SignedTransaction> transactions;  // of the chunk, in its order
    std::vector<Receipt> incoming;                      // by source chunk, then index
    Gas gas_limit = 1000 * kTera;                       // receipts above it are delayed
};

struct ExecutedReceipt {
    Receipt receipt;
    Outcome outcome;
    bool is_local = false;    // of a transaction of this chunk whose signer is its receiver
    bool is_instant = false;  // never listed in a chunk for another reason (yields, lone deletions)
};

struct ShardResult {
    std::vector<Outcome>
        transaction_outcomes;  // as ShardInput::transactions; those that fail have InvalidTxError
    std::vector<ExecutedReceipt> executed;  // in order of execution; without those that have no outcome
    std::vector<Receipt> outgoing;          // produced, for any shard, in order: what the next chunk lists
    // In no chunk: promise yields created here, and receipts that only delete their account, executed here.
    std::vector<Receipt> instant;
    std::vector<Receipt> local;  // initial receipts of transactions to their own signer: in no chunk
    Gas gas_used = 0;            // sum of gas_burnt of all outcomes
    // Tokens that left the circulation: the outcomes' tokens_burnt, less the part that contracts got as
    // reward, plus refunds and payouts that nobody could take. With it the sum of all balances and of
    // tokens_in() of all receipts under way (receipt_tokens.hpp) never changes.
    u128 tokens_burnt = 0;
    std::vector<CryptoHash> postponed;  // action receipts that now wait for data
    std::vector<CryptoHash> delayed;    // … and for gas
    std::vector<CryptoHash> timed_out;  // yields that ran without having been resumed
};

// `state` and `queues` are those of the shard; on return they hold the result.
ShardResult apply_shard(State& state, ShardQueues& queues, const BlockContext& block, ShardInput input,
                        const Contracts& contracts);

// A read-only call at the state of some height.
struct ViewCall {
    std::string account_id;
    std::string method_name;
    Bytes args;
};
struct ViewResult {
    Bytes value;
    std::vector<std::string> logs;
    std::string error;  // not empty: as `query` tells it (rpc.md §6.1)
};
ViewResult call_view(const State& state, Height at, const BlockContext& block, const ViewCall& call,
                     const Contracts& contracts);

}  // namespace receiptd::sandbox::sim
