// Verdicts, findings and results: judging a tree gives them, and the tables store them.
#pragma once

#include "base/clock.hpp"
#include "chain/tree/effect.hpp"
#include "chain/tree/facts.hpp"
#include "chain/tree/refunds.hpp"
#include "chain/tree/roles.hpp"
#include "chain/tree/user.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::chain {

enum class Verdict : std::uint8_t {
    succeeded,
    failed,
    callback_failed,
    receipt_failed,
    succeeded_with_handled_failure,
};
Text verdict_name(Verdict verdict);
std::optional<Verdict> parse_verdict(Text name);

// How NEAR itself tells a transaction: by the end of its result chain (chain-model.md §2.1).
struct NearStatus {
    bool failed = false;
    std::string receipt_id;  // whose outcome that is; empty: the transaction's own
    Text name() const { return failed ? "failure" : "success"; }
    friend bool operator==(const NearStatus&, const NearStatus&) = default;
};

// Whether what a watch says can no longer turn out otherwise, and when its transaction may be signed anew.
struct Certainty {
    bool conclusive = false;
    // A block whose parent is at or above this height cannot carry it any more. 0: no block can. nullopt: it
    // is executed, or its block hash is not known.
    std::optional<BlockHeight> safe_to_resign_after_height;
    std::optional<base::WallTime> estimated_at;  // the time of that height
};

// Kinds of findings. A tree gives the first seven (docs/verdicts.md); a watch that ends without one has the
// name of its last stage.
namespace kind {
inline constexpr Text kFailedReceipt = "failed_receipt";
inline constexpr Text kFailedTransaction = "failed_transaction";
inline constexpr Text kTokensReturned = "tokens_returned";
inline constexpr Text kBurntTokens = "burnt_tokens";
inline constexpr Text kWalletRefused = "wallet_refused";
inline constexpr Text kYieldTimedOut = "yield_timed_out";
inline constexpr Text kUndecided = "undecided";
inline constexpr Text kRejected = "rejected";
inline constexpr Text kForwardingFailed = "forwarding_failed";
inline constexpr Text kDropped = "dropped";
inline constexpr Text kExpired = "expired";
inline constexpr Text kUnknown = "unknown";
inline constexpr Text kStuck = "stuck";
inline constexpr Text kCorrected = "corrected";
inline constexpr std::array kAll{
    kFailedReceipt, kFailedTransaction, kTokensReturned, kBurntTokens,      kWalletRefused,
    kYieldTimedOut, kUndecided,         kRejected,       kForwardingFailed, kDropped,
    kExpired,       kUnknown,           kStuck,          kCorrected};
}  // namespace kind

// Error class of a transaction that a chunk lists and the chain dropped without an outcome. NEAR tells
// nothing of it.
inline constexpr Text kDiscarded = "discarded";

// A finding is reported to people: a failed receipt that is no refund and no payout, a transaction that
// failed before it made a receipt, tokens that a receiver gave back though nothing failed, tokens that were
// burnt and not as a fee (losses.hpp), a wallet that did not do what its owner signed, a yield that nobody
// resumed in time, or a watched transaction that ended without a tree or is stuck. Empty: not known, or there
// is none.
inline constexpr std::size_t kLongestErrorText = 4'096;  // bytes, of a finding or a result that is stored
struct Finding {
    std::string finding_id;  // the same for the same cause, however often it is found
    std::string kind;        // one of chain::kind
    std::string tx_hash;
    std::string signer_id;   // of the transaction
    std::string user_id;     // of the transaction, if it is proven; empty, too: the signer (user.hpp)
    std::string receipt_id;  // of a failed receipt
    std::string parent_receipt_id;
    std::optional<Role> role;  // of the receipt
    std::optional<bool> handled;
    std::vector<std::string> handled_by;  // the receipts that awaited it, if it is handled
    std::string contract_id;              // the receiver
    std::string method_name;              // of the first function call, else the first action's name
    FailureClass failure;
    std::string root_cause;  // the receipt whose failure led to this one, the first of them; empty: none did
    std::optional<Effect> effect;           // of a handled failure or a token flow
    std::optional<TokenFlow> flow;          // of kind kTokensReturned
    std::optional<u128> burnt;              // of kind kBurntTokens: yoctoNEAR; nullopt: other tokens
    bool expected = false;                  // nobody is told of it; of most known once it is stored
    std::optional<NearStatus> near_status;  // of its transaction, once that has a result; not stored with it
    std::optional<Certainty> certainty;     // of a watch that ended without a tree or is stuck
    std::string correction_json;            // of kind kCorrected: {told, true, why}
    ExecutedAt at;  // height 0: not known; the time is then that of the transaction, or when it was found

    // Makes the id of its kind and its receipt, or its transaction.
    void identify();
};

// Why nobody is told of a finding that is stored.
namespace withheld {
inline constexpr Text kBackfill = "backfill";               // somebody has ordered its heights
inline constexpr Text kBeforeDatabase = "before_database";  // it is older than the database
inline constexpr Text kTooOld = "too_old";
}  // namespace withheld

// Events since `time` are news: findings of older ones are withheld. Alerts about what happened before
// `sent_since` are stored, and not sent.
struct NewsSince {
    base::WallTime time{};
    Text older_are = withheld::kTooOld;
    base::WallTime sent_since{};
};

struct TreeResult {
    std::string tx_hash;
    std::string signer_id;
    User user;
    std::string receiver_id;
    std::string method_name;  // as that of a finding
    std::string initial_receipt_id;
    Verdict verdict = Verdict::succeeded;
    std::optional<NearStatus> near_status;  // nullopt: the end of the result chain is not known
    FailureClass failure;                   // of what decided the verdict
    std::string
        root_cause;  // the receipt whose failure led to that first, or that one; empty: no receipt failed
    std::optional<Effect> effect;  // of its token flows, else of its handled failures (silence.hpp)
    ExecutedAt included_at;
    ExecutedAt completed_at;     // the last receipt that is no refund and no payout
    ExecutedAt settled_at;       // the last of all
    std::uint64_t receipts = 0;  // executed, all of them
    std::uint64_t failed_receipts = 0;
    Gas gas_burnt = 0;
    u128 tokens_burnt = 0;  // as fees
    u128 tokens_lost = 0;   // burnt otherwise (losses.hpp)
    u128 sent = 0;          // all that the transaction attached
    Refunds refunds;
    bool money_is_known = true;  // else losses and refunds may be more
};

struct Decided {
    std::vector<Finding> findings;
    std::vector<TreeResult> results;
    void add(Decided&& other);
    bool empty() const { return findings.empty() && results.empty(); }
};

}  // namespace receiptd::chain
