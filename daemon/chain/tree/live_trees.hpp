// Judges trees while blocks go by, by the rules of rules.hpp and without keeping their receipts.
//
// A finding is told as soon as it is decided whether its failure was handled and what came of it: at once if
// nobody awaits the receipt, else by the receipts that await it, and what these made. A result is told when
// nothing of the tree is missing any more, refunds included. With scope accounts all trees go by here,
// because the receipt that handles a failure may be out of scope; findings and results out of scope are not
// told. Only trees whose transaction went by are judged: of others a part is unknown (the start of a range),
// or they were given up as too many: whoever has the stored rows judges them, each time that something more
// of them went by here, and once when a tree of others is given up, as the rest of it may be out of scope.
#pragma once

#include "base/height_set.hpp"
#include "chain/json/id_text.hpp"
#include "chain/tree/causes.hpp"
#include "chain/tree/flows.hpp"
#include "chain/tree/losses.hpp"
#include "chain/tree/rules.hpp"
#include "chain/tree/silence.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace receiptd::chain {

class LiveTrees {
public:
    static constexpr std::size_t kMost = 50'000;
    explicit LiveTrees(std::size_t most = kMost) : most_(most) {}

    struct ExecutedReceipt {
        Text parent_receipt_id;  // empty: the transaction
        const Receipt& receipt;
        const Outcome& outcome;
        std::optional<Role> role;
        OnResultChain result_chain = OnResultChain::no;
        bool in_scope = true;  // else its failure is not told
    };

    // The contents of a block, in any order but that a receipt comes after its parent. If a transaction is
    // not in scope, its tree gives no result. One that goes by again while its tree is not over is late.
    void transaction(const SignedTransaction& transaction, const Outcome& outcome, ExecutedAt at,
                     bool in_scope = true);
    void executed(Text tx_hash, const ExecutedReceipt& item, ExecutedAt at);
    // A resume was listed. Call before the receipts of its block: most yields run in it. Of several for one
    // yield the first counts. A yield that runs in another block than its resume is late, too, because where
    // that data belongs was not known yet.
    void resumed(const Receipt& resume, BlockHeight at);
    // Something of the tree was not seen here. `in_scope`: a row of it is.
    void forget(Text tx_hash, bool in_scope);
    // All of the block was given: returns the results and findings that it decided.
    Decided end_of_block();
    // Trees in scope of which something went by since the last call, and which are not judged here.
    std::vector<std::string> take_late();
    // If there are more than `most`, gives up an eighth, those in which nothing happened for longest;
    // returns how many. Call before take_late().
    std::size_t bound();

    struct Asked {
        Text signer_id;
        Text user_id;  // user.hpp: proven, or not refused yet; empty: none
    };
    // The accounts behind a transaction that went by before; nullopt: it is not judged here.
    std::optional<Asked> asked_by(Text tx_hash) const;
    std::size_t open_trees() const { return trees_.size(); }

private:
    struct BurntRefund {
        Finding finding;
        bool of_gas = false;
        bool in_scope = true;
    };
    struct Tree {
        TreeResult result;
        Refusal wallet_refusal;
        std::unique_ptr<Finding> asked_wallet;  // the receipt on the result chain that called kWalletMethod
        Causes causes;
        Flows flows;
        Silence silence;
        Losses losses;
        std::vector<BurntRefund> burnt;       // not told yet
        std::vector<Finding> other_findings;  // in scope, not told yet: burnt tokens, time-outs of yields
        std::uint64_t announced = 0;
        std::size_t awaited_ids = 0;  // the sum of the hashes of those that are announced and not executed
        std::vector<Failure> failures;
        boost::unordered_flat_map<std::string, Awaiter> awaiters;  // of failures, by data id
        std::vector<bool> told;  // for each failure: it was told, or must not be told
        bool touched = false;
        bool in_scope = true;       // its transaction
        bool holds_others = false;  // a receipt in scope, though its transaction is not
    };
    // By transaction. Each receipt asks for its tree, and a tree is large.
    using Trees = boost::unordered_flat_map<IdText, std::unique_ptr<Tree>, IdHash, IdEqual>;

    struct Resume {
        bool timed_out = false;
        BlockHeight at = 0;
    };
    static constexpr std::size_t kMostResumes = 10'000;

    // Takes it. nullopt: it was not listed here.
    std::optional<Resume> take_resume(const Receipt& yield);
    void bound_resumes();
    void touch(Text tx_hash, Tree& tree);
    static void announce(Tree& tree, const Outcome& outcome);
    static void follow_result_chain(Tree& tree, const ExecutedReceipt& item, ExecutedAt at);
    static void record_failure(Tree& tree, const ExecutedReceipt& item, ExecutedAt at);
    static void refund(Tree& tree, const ExecutedReceipt& item, ExecutedAt at);
    static void record_burnt(Tree& tree, const ExecutedReceipt& item, ExecutedAt at, u128 amount);
    static void follow_deletion(Tree& tree, const ExecutedReceipt& item, ExecutedAt at);
    static void tell_burnt(Tree& tree);
    // Whether it awaited a failure.
    static bool settle_awaited(Tree& tree, const ExecutedReceipt& item);
    static void learn_awaiters(Tree& tree);
    static void follow_tokens(Tree& tree, const ExecutedReceipt& item, ExecutedAt at, bool awaited_a_failure);
    static Finding finding_of(const ExecutedReceipt& item, ExecutedAt at);
    static void tell(const Tree& tree, Finding finding, std::vector<Finding>& findings);
    static void find_cause(Tree& tree, const ExecutedReceipt& item, bool failed);
    static void tell(Tree& tree, std::vector<Finding>& findings);
    void end_of_block(const IdText& tx_hash, Decided& decided);

    std::size_t most_;
    Trees trees_;
    std::unordered_map<std::string, Resume, IdHash, IdEqual> resumes_;  // of no yield yet, by data id
    std::vector<IdText> touched_;
    std::vector<std::string> late_;
};

}  // namespace receiptd::chain
