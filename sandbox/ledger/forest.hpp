// The tree of every transaction on the chain, as the simulation makes it: parents of receipts, places of
// execution, receipts still under way. Updated block by block, so that questions cost nothing.
#pragma once

#include "sandbox/gateway/chain.hpp"
#include "sandbox/ledger/records.hpp"

#include <deque>
#include <string_view>
#include <unordered_map>

namespace receiptd::sandbox {

// product.md "Words".
enum class Role : std::uint8_t { initial, callback, promise, returned, detached, refund, payout };
const char* to_string(Role role);

// The place of an outcome.
struct ExecutedAt {
    std::shared_ptr<const Application> application;  // null: not executed yet
    std::size_t index = 0;                           // in its executions
    explicit operator bool() const { return application != nullptr; }
    Height height() const { return application->height; }
    const sim::Outcome& outcome() const { return application->executions[index].outcome; }
};

struct ReceiptNode {
    static constexpr std::size_t kTransaction = static_cast<std::size_t>(-1);

    ReceiptPtr receipt;
    std::size_t parent = kTransaction;  // index of the node whose outcome announced it
    Role role = Role::detached;
    Height created_height = 0;  // of the block whose application made it
    bool is_last_id = false;    // of its parent's receipt_ids
    bool timed_out = false;     // a yield that nobody resumed in time
    ExecutedAt executed;
    std::vector<std::size_t> children;  // in the order of receipt_ids

    const CryptoHash& id() const { return receipt->receipt_id; }
    bool is_from_system() const { return receipt->predecessor_id == sim::kSystemAccount; }
    // While it is pending the transaction may pass for executed (rpc.md §5.4).
    bool may_be_pending() const { return is_from_system() && is_last_id; }
    const sim::ActionReceipt& body() const { return std::get<sim::ActionReceipt>(receipt->body); }
};

struct TransactionTree {
    TransactionPtr transaction;
    ExecutedAt included;
    std::vector<ReceiptNode> nodes;  // a parent before its children; [0] is the initial receipt

    // Receipts that are announced and not executed.
    std::size_t open = 0;
    std::size_t open_required = 0;  // without those that may be pending
    std::size_t open_own = 0;       // without refunds and payouts
    // When the counts above came to nothing; 0: not yet.
    Height done_height = 0;
    Height executed_height = 0;
    Height completed_height = 0;

    // Depth first, each parent before its children: the order of receipts_outcome (rpc.md §5.3).
    std::vector<std::size_t> depth_first() const;
    // The child with that id of a node (kTransaction: of the transaction); kTransaction: none.
    std::size_t child_of(std::size_t node, const CryptoHash& receipt_id) const;
    // rpc.md §5.4, when `tip` is the newest block and `final_head` the newest final one.
    ExecutionLevel level(Height tip, Height final_head) const;
};

class Forest {
public:
    explicit Forest(const sim::Protocol& protocol) : protocol_(&protocol) {}

    // Takes in the results of applying one chunk; call in the order of the chain. `transactions` are the
    // chunk's.
    void absorb(const std::shared_ptr<const Application>& application,
                const std::vector<TransactionPtr>& transactions);

    // The oldest trees are gone, up to one that is under way or was done at `height` or later.
    void forget_done_below(Height height);

    // The first execution.
    const TransactionTree* tree(const CryptoHash& transaction_hash) const;
    // Each further one (TransactionRecord::again), in their order.
    std::vector<const TransactionTree*> later_trees(const CryptoHash& transaction_hash) const;

    struct Place {
        const TransactionTree* tree = nullptr;  // null: data of unknown origin, or a global contract
        std::size_t node = 0;                   // of an action receipt
        ReceiptPtr receipt;
        Height height = 0;  // of the block whose application made it
    };
    // From the block on that made it.
    std::optional<Place> find_receipt(const CryptoHash& receipt_id) const;

    const std::deque<TransactionTree>& trees() const { return trees_; }  // in the order of inclusion
    // Tokens in action receipts that are announced and not executed.
    u128 tokens_under_way() const { return tokens_under_way_; }
    // Events that must never happen, but did: a receipt executed twice, or without having been announced.
    const std::vector<std::string>& violations() const { return violations_; }

private:
    using Bodies = std::unordered_map<CryptoHash, ReceiptPtr, HashOfHash>;
    struct OtherPlace {
        const TransactionTree* tree = nullptr;
        ReceiptPtr receipt;
        Height height = 0;
    };
    struct NodePlace {
        TransactionTree* tree = nullptr;
        std::size_t node = 0;
    };

    void include(const TransactionPtr& transaction, ExecutedAt at, const Bodies& bodies);
    void execute(ExecutedAt at, const Bodies& bodies);
    void announce(TransactionTree& tree, std::size_t parent, const ExecutedAt& at, const Bodies& bodies);
    void add_node(TransactionTree& tree, ReceiptNode node);
    void take_others(const Application& application);
    void settle(TransactionTree& tree, Height height);

    const sim::Protocol* protocol_;
    std::deque<TransactionTree> trees_;
    std::unordered_map<CryptoHash, TransactionTree*, HashOfHash> by_transaction_;
    std::unordered_map<CryptoHash, std::vector<const TransactionTree*>, HashOfHash> later_;
    std::unordered_map<CryptoHash, NodePlace, HashOfHash> by_receipt_;
    std::unordered_map<CryptoHash, OtherPlace, HashOfHash> others_;  // receipts that have no outcome
    std::unordered_map<CryptoHash, const TransactionTree*, HashOfHash> data_origins_;  // by data id
    u128 tokens_under_way_ = 0;
    std::vector<std::string> violations_;
};

}  // namespace receiptd::sandbox
