// A transaction as people and programs get it: GET /v1/transactions/{hash}, the lists of watches and
// findings, `receiptd tx --json`. Pure.
//
// Members come in a fixed order, and all of them are always there: null is what is not known (yet). Times
// are ISO 8601 in UTC. Numbers that may pass 2^53 are decimal strings: every amount of tokens
// (tokens_burnt, *_refunded, net_deposit) and nonces. Heights, counts and gas are numbers.
#pragma once

#include "base/clock.hpp"
#include "chain/tree/lifecycle.hpp"
#include "chain/tree/receipt_tree.hpp"
#include "storage/finding_store.hpp"
#include "storage/watch_store.hpp"

#include <optional>
#include <string>
#include <vector>

namespace receiptd::watch {

// Retention has dropped the receipts: the tree has what its result tells, and no receipts.
struct ResultOnly {
    std::uint64_t receipts = 0;
    std::string error_class;  // of the failure that gave the verdict
};

// All that is known of one transaction.
struct TransactionView {
    std::string tx_hash;
    std::string sender_id;  // empty: not known
    std::optional<storage::Watch> watch;
    std::vector<storage::StoredTransition> transitions;
    std::vector<chain::Finding> findings;
    std::optional<chain::TransactionFacts> transaction;
    std::optional<chain::Judgement> tree;            // nullopt: nothing of it is known
    std::vector<chain::Judgement> other_executions;  // of the same hash
    std::vector<storage::UntoldListing> untold;      // of the same hash, in the order of their blocks
    std::vector<storage::DeployedContract> contracts;
    std::optional<ResultOnly> result_only;
    std::optional<base::WallTime> pruned_before;  // blocks from before are not stored; only without receipts
    bool from_hosts = false;                      // nothing of it is stored: hosts told all of this

    bool known() const { return watch || tree; }
};

// What the stores tell of one transaction.
struct StoredTransaction {
    std::string tx_hash;
    std::optional<storage::Watch> watch;
    std::vector<storage::StoredTransition> transitions;
    storage::StoredTree tree;
    std::vector<chain::Finding> findings;  // of findings_of(), newest first
    storage::Kept kept = {};               // without a stored tree

    bool any() const { return watch || tree.any() || kept.result; }
};
storage::FindingFilter findings_of(const std::string& tx_hash);

// Puts it together: judges the tree; without a watch the transitions are those that the tree proves,
// with no time at which they were learned, and the sender is the tree's. Findings are told as they happened.
TransactionView transaction_view(StoredTransaction stored);

// Makes the execution with this receipt the view's tree.
void show_execution_with(TransactionView& view, const std::string& receipt_id);

// A tree as hosts know it, in final blocks.
struct OpenTree {
    chain::TransactionFacts transaction;
    chain::Judgement tree;
};
// Whether more of it may be known than is stored: its tree is under way, or is not stored.
bool is_open(const TransactionView& view);
// Adds the pending receipts of an open tree and the reasons why they wait: only executed receipts are stored.
void add_open_tree(TransactionView& view, OpenTree open);
// A transaction of which nothing is stored. Its findings are those that its tree gives.
TransactionView told_by_hosts(std::string tx_hash, std::string sender_id, OpenTree open);

// The listings of view.untold but that of the view's tree.
std::vector<storage::UntoldListing> untold_elsewhere(const TransactionView& view);

// "blocks before 2026-08-01T00:00:00.000Z were pruned"
std::string pruned_in_words(base::WallTime before);
// "5 receipts, 1 of them failed, are not kept: blocks before 2026-08-01T00:00:00.000Z were pruned". The view
// has a result only.
std::string what_is_pruned(const TransactionView& view);

// Why a tree has no verdict, in words.
std::string why_no_verdict(const chain::Judgement& tree);

// {tx_hash, trace_id, sender_id, user_id, idempotency_key, metadata, source: "database"|"hosts", stage,
// verdict, reason, conclusive, safe_to_resign_after_height, safe_to_resign_estimated_at, evidence, stages:
// [...], findings: [...], global_contracts: [...], tree: {...}|null, other_executions: [{..., reason}],
// pruned: {before, receipts}|null}. `reason`:
// why a watch ended without a tree; else the error_class of the failure that gave the verdict. In `tree`
// receipts are nested by who made whom
// (`children`); those deeper than kMostNested levels and those whose maker is not known stand in `tree.more`,
// each with its parent_receipt_id.
std::string transaction_json(const TransactionView& view);
inline constexpr unsigned kMostNested = 64;

// One of a list.
std::string watch_json(const storage::Watch& watch);
std::string finding_json(const chain::Finding& finding);

}  // namespace receiptd::watch
