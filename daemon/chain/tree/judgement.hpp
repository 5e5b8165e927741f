// The judgement of a tree: `receiptd tx`, the API, the alerts and the stored results all tell it.
#pragma once

#include "chain/tree/rules.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::chain {

// The reason why a receipt has no outcome yet.
enum class Waiting : std::uint8_t {
    none,       // executed
    body,       // announced by its parent; nothing else is known of it
    data,       // some input data was not listed yet
    resume,     // a yield that was neither resumed nor timed out
    execution,  // all it needs is there: under way, delayed or buffered
};
Text waiting_name(Waiting waiting);

struct JudgedReceipt {
    std::string receipt_id;
    std::string parent_receipt_id;  // empty: the transaction, or not known
    bool attached = true;           // reached from the transaction by spawn edges
    std::optional<Role> role;       // nullopt: its body, or who made it, is not known
    std::string predecessor_id;     // empty: its body is not known, nor that `system` made it
    std::string receiver_id;
    std::string method_name;
    std::vector<std::string> action_names;
    std::optional<bool> refunds_gas;  // else a refund is of a deposit. nullopt: it is none, or not known
    u128 deposit = 0;                 // all that its actions attach
    // Receipts whose data it awaits, in the order of its input data ids. Where one returned another in its
    // place, that one.
    std::vector<std::string> awaits;
    bool on_result_chain = false;
    bool executed = false;
    StatusKind status = StatusKind::unknown;
    FailureClass failure;
    Handling handling = Handling::undecided;  // of a failed one
    Waiting waiting = Waiting::none;
    std::vector<std::string> missing_data_ids;
    // True for a yield whose resume came without data. nullopt: it ran, and its resume is not known.
    std::optional<bool> yield_timed_out = false;
    Gas gas_burnt = 0;
    u128 tokens_burnt = 0;
    std::optional<ExecutedAt> at;
    std::optional<ShardId> shard_id;  // where it was executed

    bool failed() const { return executed && status == StatusKind::failure; }
    // Refunds and payouts: nobody's call, so they never change a verdict.
    bool is_from_system() const { return predecessor_id == kSystemAccount; }
    // As receipts.status; "pending": no outcome yet.
    Text status_name() const { return executed ? chain::status_name(status) : Text("pending"); }
};

// Where the user's own call under a Delegate action went.
struct DelegateEnd {
    DelegateFacts facts;
    std::string relayer_id;
    std::string inner_receipt_id;  // empty: it was not made
    bool inner_failed = false;
};

struct Judgement {
    bool included = false;  // the transaction has an outcome
    bool transaction_failed = false;
    FailureClass transaction_failure;
    bool initial_succeeded = false;
    bool completed = false;  // nothing but refunds and payouts can be missing
    bool settled = false;    // nothing is missing
    // Given for a completed tree, unless a receipt that is not known may change it.
    std::optional<Verdict> verdict;
    std::optional<NearStatus> near_status;  // as soon as the result chain has its end
    // Given as soon as nothing that is missing can change it: once the initial receipt failed, a callback
    // failed, or only refunds can follow. It is the verdict of the completed tree.
    std::optional<Verdict> certain_verdict;
    // Executed receipts, refunds and payouts among them, of which the outcome alone is known.
    std::vector<std::string> missing_receipts;
    // Else what came back and what was lost may be more.
    bool money_is_known() const { return missing_receipts.empty(); }
    bool undecided = false;  // all is executed, and such a receipt may change the verdict or a finding
    Refusal wallet_refusal;
    bool may_be_refusal = false;  // a receipt that is not known may have called kWalletMethod
    std::string asked_wallet_id;  // the receipt on the result chain that called kWalletMethod; empty: none
    // The receipts whose failure or refusal gave the verdict; empty: the transaction's did.
    std::vector<std::string> decided_by;
    std::string root_cause;               // of the verdict; see rules.hpp
    std::vector<JudgedReceipt> receipts;  // depth first in spawn order, then those not attached by id
    // The transaction's own, then those of attached receipts, in their order; without the transaction, of
    // all.
    std::vector<Failure> failures;
    // Findings of other kinds: tokens that came back though nothing failed, burnt tokens, a wallet's refusal,
    // yields that timed out.
    std::vector<Finding> other_findings;
    std::optional<Effect> effect;  // as TreeResult has it; of a completed tree
    std::optional<DelegateEnd> delegate;
    User user;  // behind a relayer

    std::uint64_t failed_receipts = 0;  // refunds and payouts not counted
    Gas gas_burnt = 0;                  // the conversion's included
    u128 tokens_burnt = 0;              // as fees
    u128 tokens_lost = 0;               // burnt otherwise (losses.hpp)
    Refunds refunds;
    u128 net_deposit = 0;  // the transaction's deposits less what of them came back to its signer

    std::optional<ExecutedAt> included_at;
    std::optional<ShardId> included_in_shard;
    std::optional<ExecutedAt> initial_at;    // the initial receipt's execution
    std::optional<ExecutedAt> completed_at;  // the latest of all that is no refund or payout
    std::optional<ExecutedAt> settled_at;    // the latest of all

    bool has(const std::string& receipt_id) const;  // attached
    // Yields that ran because nobody resumed them in time.
    std::uint64_t timed_out_yields() const;
    // Yields that ran, of which no source gives the resume: they may have timed out.
    std::uint64_t unexplained_yields() const;
    // The first failure that led to that of the receipt. nullptr: none did.
    const Finding* root_cause_of(const std::string& receipt_id) const;
    // The class of the failure that gave the verdict: of several, the earliest's. Empty: none did.
    std::string deciding_class() const;
};

// Why a tree has no verdict: receipts that decide it are not known (docs/verdicts.md).
inline constexpr Text kReceiptsMissing = "receipts_missing";
// Why it is not over: outcomes that its receipts announced are in no block where they should be.
inline constexpr Text kOutcomesMissing = "outcomes_missing";

// The result and findings to store: all of a settled tree; of another one the yields that timed out, as
// nothing changes these any more. While a tree is undecided, its failures are told when they are decided.
// `in_vain`: the missing receipts were asked for long enough: a finding says that it is undecided.
Decided decided(const TransactionFacts& transaction, const Judgement& judgement, bool in_vain = false);

// The findings of a tree of which only a part is stored (scope accounts). `last_look`: also of failures that
// a receipt awaits which is not stored: whether they were handled is not known then.
std::vector<Finding> findings_in_part(const Judgement& judgement, bool last_look);

}  // namespace receiptd::chain
