// The stages of a watched transaction (gateway.md §3, product.md "Words"), its end, and the evidence for
// them. Pure: step() says which transitions an observation makes.
//
// A stage is never left backwards, but for an inclusion in a block that does not become final. Observations
// come in any order and more than once; several stages may be passed at once. EXECUTED_OPTIMISTIC and
// INCLUDED_FINAL of a node are not ordered (rpc.md §5.4), so nothing here follows from them: the receipts do.
#pragma once

#include "base/json_text.hpp"
#include "chain/json/protocol.hpp"
#include "chain/tree/judgement.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace receiptd::chain {

enum class Stage : std::uint8_t {
    accepted,   // known here: handed in, or asked for
    pending,    // sent; a host that tracks its signer's shard objects to nothing
    included,   // in a chunk
    executing,  // its initial receipt succeeded
    completed,  // every receipt that is no refund is executed
    final,      // all receipts are
    // Ends without a tree
    rejected,           // no node of this protocol version ever takes it
    forwarding_failed,  // no host took it
    dropped,            // can never be included any more, for its reason
    expired,            // its block hash is too old
    unknown,            // nothing was learned of it while it could have been included
};
Text stage_name(Stage stage);
std::optional<Stage> parse_stage(Text name);
bool is_end(Stage stage);

// Why a transaction without a tree ended; empty for others.
namespace reason {
inline constexpr Text kSuperseded = "superseded";           // its nonce was used by another transaction
inline constexpr Text kKeyRemoved = "key_removed";          // a key that is added anew begins above its nonce
inline constexpr Text kAccountRemoved = "account_removed";  // the same
inline constexpr Text kExpired = "expired";
inline constexpr Text kInvalidChain = "invalid_chain";  // its block hash is of a fork that lost
inline constexpr Text kNoRoute = "no_route";
inline constexpr Text kNeverSeen = "never_seen";
inline constexpr Text kHeightsMissing = "heights_missing";  // no host shows them any more: it may be in one
inline constexpr Text kRefusedByDatabase = "refused_by_database";  // what is known of it cannot be stored
}  // namespace reason

using Evidence = base::JsonObject;

// Everything known of the transaction besides its hash. Nothing is known if it was not submitted here.
struct WatchedTransaction {
    std::string tx_hash;
    std::optional<std::uint64_t> nonce;
    std::optional<std::uint16_t> nonce_index;  // of a gas key, which has several nonces
    // The last height at which a block may include it: that of its block hash and the validity period.
    std::optional<BlockHeight> valid_until;
    BlockHeight watched_since = 0;  // final head when it was first asked for
    std::string block_hash;         // its own, and that block's height
    std::optional<BlockHeight> block_hash_height;
    std::string objection;  // JSON: why the hosts would not take it now; empty: they told nothing
};
// In a block that a host shows before it is final: a fork may take it back.
struct EarlyInclusion {
    ExecutedAt at;
    std::string block_hash;
};
struct WatchState {
    Stage stage = Stage::accepted;
    std::optional<EarlyInclusion> early;  // with Stage::included, until a final block decides
    std::optional<Verdict> verdict;
    std::string reason;
    // All of its tree is there, and nothing of it took effect: the transaction or its initial receipt failed.
    bool without_effect = false;
    bool confirmed = false;  // its outcomes are those of the chain
};

// --- Observations ---

// After it was sent, hosts that track its signer's shard had no objection to it (rpc.md §5.2).
struct NoObjection {
    std::string host;  // "first, second"
};
// By an error that no later block can heal (chain-model.md §9.2).
struct Refused {
    std::string error_class;  // of the InvalidTxError (errors.hpp)
    std::string error_json;   // with its payload
    std::string host;
};
// The chain has another block, or none, at the height of its block hash, and the hosts refuse that hash.
struct BlockHashLost {
    BlockHeight agreed_height = 0;
};
struct NoRoute {
    std::string detail;  // the hosts and their answers
};
// A chunk of a block that is not final yet lists it.
struct SeenEarly {
    EarlyInclusion inclusion;
    std::string host;
};
// At the height of WatchState::early the chain has another block, or none.
struct EarlyBlockLost {};
// The known state of the transaction's tree.
struct TreeSeen {
    std::optional<ExecutedAt> included_at;
    std::optional<ExecutedAt> initial_at;  // if the initial receipt succeeded
    std::optional<ExecutedAt> completed_at;
    std::optional<ExecutedAt> settled_at;
    std::optional<Verdict> verdict;
    // The class of the failure that gave the verdict; kReceiptsMissing or
    // kOutcomesMissing: it has none for that reason.
    std::string reason;
    std::uint64_t receipts = 0;
    std::uint64_t failed_receipts = 0;
    // Its outcome is an InvalidTxError: it used no nonce, and another block may execute it (chain-model.md
    // §2).
    bool is_invalid = false;
    std::vector<std::string> decided_by;
    std::string signer_id;  // as the chain has it; empty: it was not told
    // All outcomes lead to the roots that the chain has of them, or two hosts tell them (decision 0043).
    bool confirmed = false;
};
TreeSeen tree_seen(const Judgement& judgement);
// As a host tells it: while a receipt is missing that may change its verdict, it has not ended.
TreeSeen tree_seen_so_far(const Judgement& judgement);
// Every final block up to `height` was looked through, and it was in none of them: but for those that nobody
// can show.
struct NotIncludedUpTo {
    BlockHeight height = 0;
    std::optional<std::uint64_t> key_nonce;  // of its access key, at a final height not above `height`
    std::optional<BlockHeight> key_height;
    BlockHeight key_missing_at =
        0;                        // at this final height its access key did not exist; 0: it is not known to
    bool has_no_account = false;  // nor did the signer
    std::string asked;            // the host asked last, and its answer
    std::string missing;          // heights that nobody can show: "96-150, 160"; empty: none
};
using Observation = std::variant<NoObjection, Refused, BlockHashLost, NoRoute, SeenEarly, EarlyBlockLost,
                                 TreeSeen, NotIncludedUpTo>;

struct Transition {
    Stage from = Stage::accepted;
    Stage to = Stage::accepted;
    std::optional<ExecutedAt> at;  // block height and chain time, where a block proves it
    std::string evidence;          // JSON object
    // Whether the block of an inclusion is final. One that was not is confirmed by a transition from
    // included to included, or retracted by one back to pending.
    std::optional<bool> final = std::nullopt;
    std::string inclusion_id = {};  // of such an inclusion, as all its transitions have it; empty: of others
    bool confirms() const { return from == to && !inclusion_id.empty(); }
    bool retracts() const { return from == Stage::included && to == Stage::pending; }
};

// Takes back an inclusion in a block that was not final: to pending.
Transition retraction(const std::string& tx_hash, const std::string& block_hash, const Evidence& evidence);

struct LifecycleRules {
    std::uint64_t validity_blocks = protocol::kValidityBlocks;
    // Every block from the transaction's outcome up to there was looked through for it, and all hosts agree
    // on these blocks. Highest: what is looked at is history.
    BlockHeight looked_through = std::numeric_limits<BlockHeight>::max();
};

// The highest block that its hash can be of, submitted or not: one that was known when it was first asked
// for, and the head was not far above the final one.
BlockHeight newest_block_hash(const WatchedTransaction& transaction);

// The last height at which a block may include it, if its parent is the height below. Of a bare hash:
// if its block hash is the newest possible.
BlockHeight last_height(const WatchedTransaction& transaction, const LifecycleRules& rules);

// Applies the observation to `state`; the transitions are in order.
std::vector<Transition> step(WatchState& state, const WatchedTransaction& transaction,
                             const Observation& observation, const LifecycleRules& rules);

// Waits for a block: none includes it, or none that is final.
bool waits_for_inclusion(const WatchState& state);
// Whether the block that includes it is final; nullopt: none does.
std::optional<bool> is_final_inclusion(const WatchState& state);

// Where a transaction is in a final block, outcomes tell its stage: nothing is certain before they are
// confirmed.
Certainty certainty(const WatchState& state, std::optional<BlockHeight> valid_until);

// Longer in a stage than this is stuck: a condition that ends when it moves. nullopt: never.
struct StuckRules {
    std::chrono::seconds pending{60};     // accepted and pending
    std::chrono::seconds included{30};    // the initial receipt is not executed
    std::chrono::seconds executing{300};  // other receipts are not
    std::chrono::seconds completed{60};   // refunds are not
};
std::optional<std::chrono::seconds> stuck_after(Stage stage, const StuckRules& rules);

}  // namespace receiptd::chain
