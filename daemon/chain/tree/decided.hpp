// What judging a tree decides: its result and its findings, however it was judged (while blocks go by,
// tree_book.hpp; or as a whole, receipt_graph.hpp). Both ways give the same.
#pragma once

#include "chain/tree/receipt_graph.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace receiptd::chain {

// One failed receipt that is no refund and no payout, or a transaction that failed before it made a receipt.
struct Finding {
    std::string tx_hash;
    std::string signer_id;   // of the transaction
    std::string receipt_id;  // empty: the transaction failed
    std::string parent_receipt_id;
    Role role = Role::initial;  // of the receipt
    bool handled = false;
    std::string contract_id;  // the receiver
    std::string method_name;  // of the first function call, else the first action's name
    FailureClass failure;
    ExecutedAt at;  // height 0: not known; the time is then that of the transaction
};

// The same for the same cause, however often it is found.
std::string finding_id(const Finding& finding);
Text finding_kind(const Finding& finding);

struct TreeResult {
    std::string tx_hash;
    std::string signer_id;
    std::string receiver_id;
    Verdict verdict = Verdict::succeeded;
    FailureClass failure;  // of what decided the verdict: the earliest, then by receipt_id
    ExecutedAt included_at;
    ExecutedAt completed_at;     // the last receipt that is no refund and no payout
    ExecutedAt settled_at;       // the last of all
    std::uint64_t receipts = 0;  // executed, all of them
    std::uint64_t failed_receipts = 0;
    Gas gas_burnt = 0;
    u128 tokens_burnt = 0;
};

struct Decided {
    std::vector<Finding> findings;
    std::vector<TreeResult> results;
    bool empty() const { return findings.empty() && results.empty(); }
};

// True: of two failures that give the same verdict, `a` is the one to name.
bool is_earlier(const ExecutedAt& a, Text a_id, const ExecutedAt& b, Text b_id);

// Of a settled tree; of another nothing is decided.
Decided decided(const TransactionFacts& transaction, const TreeJudgement& judgement);

}  // namespace receiptd::chain
