// Typed answers of NEAR JSON-RPC and neardata. Field names are NEAR's own.
//
// Shapes: near wire reference (rpc.md §4-5, chain-model.md §4-6, providers.md §2.2). Every string
// is a std::string_view into the Document that was decoded (decode.hpp), and short lists are in it: a
// model lives no longer than its Document. Hashes and keys stay in their text form; balances are exact u128.
// Absent and null optional fields are the same: nullopt (or an empty view where said).
#pragma once

#include "base/u128.hpp"
#include "chain/json/document.hpp"
#include "chain/json/shard_layout.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::chain {

using Text = std::string_view;
using base::u128;
using BlockHeight = std::uint64_t;
using Gas = std::uint64_t;
using Nonce = std::uint64_t;

// The hash of 32 zero bytes, as text.
inline constexpr Text kZeroHash = "11111111111111111111111111111111";
// Predecessor of refunds and of the payout of a deleted account.
inline constexpr Text kSystemAccount = "system";

struct ChunkHeader {
    Text chunk_hash;
    Text prev_block_hash;
    Text outcome_root;
    Text tx_root;
    BlockHeight height_created = 0;
    BlockHeight height_included = 0;
    ShardId shard_id = 0;
    // nullopt: what the host tells cannot be read.
    std::optional<Gas> gas_used;
    std::optional<Gas> gas_limit;
    std::optional<u128> balance_burnt;
    std::optional<std::uint64_t> encoded_length;
};

// Whether a block's hash follows from its header.
enum class HeaderHash : std::uint8_t {
    unknown_form,  // something that the hash covers is not shown, or in a way that is not known
    equal,
    different,
};

struct BlockHeader {
    Text json;                                      // as it came
    HeaderHash hash_is = HeaderHash::unknown_form;  // until header_hash() was asked (proof/header_hash.hpp)
    Text on_trust;  // what speaks against it, though the hosts tell it (rows.hpp, `trust`); empty: nothing
    BlockHeight height = 0;
    std::optional<BlockHeight> prev_height;  // absent in very old headers
    Text hash;
    Text prev_hash;
    Text epoch_id;
    Text next_epoch_id;
    Text outcome_root;
    Text chunk_headers_root;  // empty: not shown
    Text last_final_block;
    std::uint64_t timestamp_nanosec = 0;  // exact; from the string, else from `timestamp`
    std::uint64_t chunks_included = 0;
    u128 gas_price = 0;  // applies to the next block
    u128 total_supply = 0;
    std::uint32_t latest_protocol_version = 0;
};

struct Block {
    Text author;
    BlockHeader header;
    // One per shard of the layout, new or repeated: new iff height_included == header.height. The children of
    // a split shard that have none of their own repeat its last one, with its shard. Whole blocks of old
    // recordings lack them: then taken from the shards' chunks.
    std::vector<ChunkHeader> chunks;
    // The block's hash covers its header and these chunk headers (proof/outcomes_root.hpp); false: that is
    // not known.
    bool covers_chunks = false;
};

enum class ActionKind : std::uint8_t {
    create_account,
    deploy_contract,
    function_call,
    transfer,
    stake,
    add_key,
    delete_key,
    delete_account,
    delegate,
    deploy_global_contract,
    use_global_contract,
    deterministic_state_init,
    transfer_to_gas_key,
    withdraw_from_gas_key,
    delegate_v2,
    universal_state_init,
    unknown,
};

struct Action {
    ActionKind kind = ActionKind::unknown;
    Text name;  // as on the wire, e.g. "FunctionCall", also when unknown
    Text json;  // the action's whole JSON, verbatim
    // FunctionCall
    Text method_name;
    Text args;  // base64, as it came
    Gas gas = 0;
    u128 deposit = 0;     // of all kinds that have one, and of unknown ones whose member `deposit` is a text
    Text beneficiary_id;  // DeleteAccount
    // Delegate, DelegateV2: who really acts, on whom, with what (raw form, chain-model.md §6.2)
    Text delegate_sender_id;
    Text delegate_receiver_id;
    List<Action> delegate_actions;
};

struct SignedTransaction {
    Text hash;
    Text signer_id;
    Text public_key;
    Nonce nonce = 0;
    std::optional<std::uint32_t> nonce_index;  // of a gas key, which has several nonces
    Text receiver_id;
    Text signature;
    List<Action> actions;
    Text actions_json;  // the whole array, verbatim
    std::uint64_t priority_fee = 0;
};

enum class ReceiptKind : std::uint8_t { action, data, global_contract_distribution, unknown };

struct DataReceiver {
    Text data_id;
    Text receiver_id;
};

struct Receipt {
    Text receipt_id;
    Text predecessor_id;
    Text receiver_id;
    ReceiptKind kind = ReceiptKind::unknown;
    Text json;  // the member `receipt`, verbatim
    // Action
    Text signer_id;
    Text signer_public_key;
    u128 gas_price = 0;
    List<DataReceiver> output_data_receivers;
    List<Text> input_data_ids;
    List<Action> actions;
    Text actions_json;
    bool is_promise_yield = false;
    Text refund_to;  // empty: the predecessor
    // Data
    Text data_id;
    std::optional<Text> data;  // base64; nullopt: the promise failed
    bool is_promise_resume = false;
};

enum class StatusKind : std::uint8_t { success_value, success_receipt_id, failure, unknown };

struct ExecutionStatus {
    StatusKind kind = StatusKind::unknown;
    Text success_value;  // base64
    Text success_receipt_id;
    Text failure_json;  // the TxExecutionError, verbatim (errors.hpp classifies it)
    Text json;          // an unknown variant, verbatim
};

struct MerklePathItem {
    Text hash;
    bool left = false;
};

// A Merkle path without its hashes: one bit a step, the leaf's first, set where the sibling stands on the
// left.
struct ProofSides {
    static constexpr std::uint8_t kMostSteps = 64;
    std::uint64_t left = 0;
    std::uint8_t steps = 0;
};

struct Outcome {
    Text id;                     // transaction hash or receipt id
    Text block_hash;             // block whose application executed it
    List<MerklePathItem> proof;  // empty in a whole block, of which only the sides are read
    ProofSides sides;
    List<Text> logs;  // unescaped; may hold NUL
    List<Text> receipt_ids;
    Gas gas_burnt = 0;
    u128 tokens_burnt = 0;
    Text executor_id;
    ExecutionStatus status;
    std::string root;  // that it leads to by its path (proof/outcomes_root.hpp); empty: not computed
};

struct Chunk {
    Text author;
    ChunkHeader header;
    std::vector<SignedTransaction> transactions;
    // `receipts` plus the newer members `local_receipts` and `instant_receipts`, without repeats:
    // receipts the shard PRODUCED before, not those it executes (chain-model.md §1.1).
    std::vector<Receipt> receipts;
    bool lacks_elements = false;  // of these lists, as they cannot be read: places in the lists are not known
};

// Result of `tx` and `EXPERIMENTAL_tx_status`.
struct TransactionStatus {
    Text final_execution_status;  // empty on old nodes
    std::optional<SignedTransaction> transaction;
    std::optional<Outcome> transaction_outcome;
    std::vector<Outcome> receipts_outcome;
    std::optional<std::vector<Receipt>> receipts;  // EXPERIMENTAL_tx_status only
    std::optional<ExecutionStatus> status;         // nullopt also for "NotStarted" and "Started"
};

struct ExecutedTransaction {
    SignedTransaction transaction;
    std::optional<Outcome> outcome;
};

struct ExecutedReceipt {
    Outcome outcome;
    Receipt receipt;
    Text tx_hash;  // neardata's addition; empty when unknown
};

struct WholeBlockShard {
    ShardId shard_id = 0;
    std::optional<ChunkHeader> chunk_header;  // nullopt: no new chunk in this block
    std::vector<ExecutedTransaction> transactions;
    // The data receipts that the chunk lists, with repeats. Its action receipts are told where they are
    // executed.
    std::vector<Receipt> listed_data;
    std::vector<Receipt> listed_contracts;  // … and the global contracts on their way
    std::vector<ExecutedReceipt> executed;  // executed in this very block, on this shard
    // The Merkle root of its outcomes, as they are told here (proof/outcomes_root.hpp); empty: not computed.
    std::string outcomes_root;
    bool lacks_elements = false;  // as in Chunk
};

struct WholeBlock {
    Block block;
    std::vector<WholeBlockShard> shards;
    std::vector<ShardId> tracked_shards;  // by the node that made it; of the others it tells nothing
};

}  // namespace receiptd::chain
