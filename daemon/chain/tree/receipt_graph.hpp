// One transaction's tree, put together from transactions, receipts, data and outcomes in any order
// and with any of them missing, and judged (product.md "Words"). Pure: the same parts give the same
// judgement however they arrived.
//
// Edges: *spawn*, from an outcome to its receipt_ids; *data*, from a receipt's output data ids to the
// receipts that have them as input. A returned promise (SuccessReceiptId) carries its maker's output
// data ids, so the data edges alone tell who awaits whom (chain-model.md §3).
//
// Rules
//  1. Refunds and payouts never change a verdict.
//  2. A failed receipt is handled if it is awaited, and each receipt that awaits it succeeded, or failed and
//     is handled itself. What nobody awaits is never handled.
//  3. The verdict of a completed tree is the first that applies: `failed`, the transaction or its initial
//     receipt failed; `callback_failed`, a callback failed unhandled; `receipt_failed`, another
//     receipt did; `succeeded_with_handled_failure`, all that failed is handled; `succeeded`.
//  4. Nobody awaits the inner call of a Delegate action: its failure is a receipt_failed, though
//     the relayer's part succeeded (chain-model.md §6.3).
#pragma once

#include "chain/json/errors.hpp"
#include "chain/json/model.hpp"
#include "chain/tree/roles.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace receiptd::chain {

// Where something was executed.
struct ExecutedAt {
    BlockHeight height = 0;
    std::uint64_t timestamp_nanosec = 0;
    friend bool operator==(const ExecutedAt&, const ExecutedAt&) = default;
};

struct DelegateFacts {
    std::string sender_id;  // the user; the relayer signed the transaction
    std::string receiver_id;
    friend bool operator==(const DelegateFacts&, const DelegateFacts&) = default;
};

struct ReceiptFacts {
    std::string receipt_id;
    std::string predecessor_id;
    std::string receiver_id;
    std::string signer_id;
    std::string method_name;  // of the first function call, else the first action's name
    std::vector<std::string> action_names;
    std::vector<std::string> input_data_ids;
    std::vector<std::string> output_data_ids;
    bool is_promise_yield = false;
    bool deletes_account = false;  // has a DeleteAccount
    u128 deposit = 0;              // sum over its actions
    std::optional<DelegateFacts> delegate;
};

struct OutcomeFacts {
    std::string id;  // transaction hash or receipt id
    std::string executor_id;
    StatusKind status = StatusKind::unknown;
    std::vector<std::string> receipt_ids;
    FailureClass failure;  // if status is failure
    Gas gas_burnt = 0;
    u128 tokens_burnt = 0;
    std::optional<ExecutedAt> at;
};

// A data receipt that was listed: what a promise ended with.
struct DataFacts {
    std::string data_id;
    bool failed = false;             // no data: the promise failed, or the yield timed out
    bool is_promise_resume = false;  // the end of a yield
};

struct TransactionFacts {
    std::string tx_hash;
    std::string signer_id;
    std::string receiver_id;
    u128 deposit = 0;
    std::optional<DelegateFacts> delegate;
    std::string method_name = {};  // as that of a receipt
};

ReceiptFacts receipt_facts(const Receipt& receipt);
OutcomeFacts outcome_facts(const Outcome& outcome, std::optional<ExecutedAt> at);
DataFacts data_facts(const Receipt& data_receipt);
TransactionFacts transaction_facts(const SignedTransaction& transaction);
enum class Verdict : std::uint8_t {
    succeeded,
    failed,
    callback_failed,
    receipt_failed,
    succeeded_with_handled_failure,
};
Text verdict_name(Verdict verdict);
std::optional<Verdict> parse_verdict(Text name);

// Whether somebody took care of a failure. `undecided`: those that await it are not all executed.
enum class Handling : std::uint8_t { handled, unhandled, undecided };
Text handling_name(Handling handling);

// What a receipt without an outcome waits for.
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
    std::optional<Role> role;       // nullopt: its body is not known
    std::string predecessor_id;
    std::string receiver_id;
    std::string method_name;
    std::vector<std::string> action_names;
    bool executed = false;
    StatusKind status = StatusKind::unknown;
    FailureClass failure;
    Handling handling = Handling::undecided;  // of a failed one
    Waiting waiting = Waiting::none;
    std::vector<std::string> missing_data_ids;
    bool yield_timed_out = false;  // its resume came without data, or was not seen and it ran that late
    Gas gas_burnt = 0;
    u128 tokens_burnt = 0;
    std::optional<ExecutedAt> at;

    bool failed() const { return executed && status == StatusKind::failure; }
    bool is_from_system() const { return role == Role::refund || role == Role::payout; }
};

// Where the user's own call under a Delegate action went.
struct DelegateEnd {
    DelegateFacts facts;
    std::string relayer_id;
    std::string inner_receipt_id;  // empty: it was not made
    bool inner_failed = false;
};

struct TreeJudgement {
    bool included = false;  // the transaction has an outcome
    bool transaction_failed = false;
    FailureClass transaction_failure;
    bool initial_succeeded = false;
    bool completed = false;          // nothing but refunds and payouts can be missing
    bool settled = false;            // nothing is missing
    std::optional<Verdict> verdict;  // of a completed tree
    std::vector<std::string>
        decided_by;  // the receipts whose failure gave the verdict; empty: the transaction's
    std::vector<JudgedReceipt> receipts;  // depth first in spawn order, then those not attached by id
    std::optional<DelegateEnd> delegate;

    std::uint64_t failed_receipts = 0;  // refunds and payouts not counted
    Gas gas_burnt = 0;                  // the conversion's included
    u128 tokens_burnt = 0;
    u128 gas_refunded = 0;
    u128 deposit_refunded = 0;
    u128 net_deposit = 0;  // the transaction's deposits less what of them came back to its signer

    std::optional<ExecutedAt> included_at;
    std::optional<ExecutedAt> initial_at;    // the initial receipt's execution
    std::optional<ExecutedAt> completed_at;  // the latest of all that is no refund or payout
    std::optional<ExecutedAt> settled_at;    // the latest of all
};

// The class of the failure that gave the verdict: of several, the earliest's. Empty: none did.
std::string deciding_class(const TreeJudgement& tree);

class ReceiptGraph {
public:
    explicit ReceiptGraph(std::string tx_hash) : tx_hash_(std::move(tx_hash)) {}

    // What is known already is kept: the chain says a thing once. Outcomes of other ids than the
    // tree's are harmless: they stay unattached.
    void add(TransactionFacts transaction);
    void add(ReceiptFacts receipt);
    void add(OutcomeFacts outcome);
    void add(DataFacts data);

    TreeJudgement judge() const;
    std::size_t size() const { return nodes_.size(); }

private:
    struct Node {
        std::optional<ReceiptFacts> body;
        std::optional<OutcomeFacts> outcome;
    };
    Node& node(const std::string& id);

    friend class TreeJudge;
    std::string tx_hash_;
    std::optional<TransactionFacts> transaction_;
    std::optional<OutcomeFacts> conversion_;
    std::map<std::string, Node> nodes_;  // by id: the order of what is not attached
    std::unordered_map<std::string, DataFacts> data_;
};

}  // namespace receiptd::chain
