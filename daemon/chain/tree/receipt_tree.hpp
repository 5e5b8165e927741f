// One transaction's tree, put together from transactions, receipts, data and outcomes in any order
// and with any of them missing, and judged by the rules of rules.hpp. Pure: the same parts give the same
// judgement however they arrived.
//
// Edges: *spawn*, from an outcome to its receipt_ids; *data*, from a receipt's output data ids to the
// receipts that have them as input. A returned promise (SuccessReceiptId) carries its maker's output
// data ids, so the data edges alone tell who awaits whom (chain-model.md §3).
#pragma once

#include "chain/tree/judgement.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace receiptd::chain {

class ReceiptTree {
public:
    // `tx_hash`: or the oldest known receipt's id, where the transaction is not known. Such a tree is not
    // included.
    explicit ReceiptTree(std::string tx_hash) : tx_hash_(std::move(tx_hash)) {}

    // Facts that are known already are kept, because the chain never contradicts itself. Outcomes with ids
    // that are not in the tree are harmless: they stay unattached.
    void add(TransactionFacts transaction);
    void add(ReceiptFacts receipt);
    void add(OutcomeFacts outcome);
    void add(DataFacts data);

    Judgement judge() const;
    std::size_t size() const { return nodes_.size(); }

private:
    struct Node {
        std::optional<ReceiptFacts> body;
        std::optional<OutcomeFacts> outcome;
    };

    friend class Judge;
    friend class Walk;
    std::string tx_hash_;
    std::optional<TransactionFacts> transaction_;
    std::optional<OutcomeFacts> conversion_;  // or the outcome of root_
    std::optional<ReceiptFacts> root_;   // a receipt of the tree's name; of none whose transaction is known
    std::map<std::string, Node> nodes_;  // by id: the order of unattached receipts
    std::unordered_map<std::string, DataFacts> data_;
};

// The place where an outcome was executed, as far as it is known.
struct Execution {
    std::optional<ExecutedAt> at;
    std::optional<ShardId> shard_id = {};
};
// nullopt: the outcome does not count as executed (yet).
using ExecutionOf = std::function<std::optional<Execution>(const Outcome&)>;

// Calls `look` with each receipt of a host's answer, then with each of `others`, which the answer lacks.
template <class Look>
void for_each_receipt(const TransactionStatus& answer, const std::vector<Receipt>& others, const Look& look) {
    if (answer.receipts)
        for (const auto& receipt : *answer.receipts) look(receipt);
    for (const auto& receipt : others) look(receipt);
}

// The tree of a host's answer. `others`: receipts of the tree that the answer lacks; the initial receipt is
// made where it is missing.
ReceiptTree tree_of(const TransactionStatus& answer, const std::vector<Receipt>& others,
                    const ExecutionOf& execution_of);

// A transaction's initial receipt repeats it: the signer asks the receiver for the same actions,
// with no data in or out (chain-model.md §1.1, §2). Views into the answer's document. nullopt: the answer
// does not tell the transaction, or not that it made one receipt.
std::optional<Receipt> initial_receipt(const TransactionStatus& answer);

}  // namespace receiptd::chain
