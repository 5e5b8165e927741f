// Trees that wait to be fetched (pending_trees), and those that are written and judged as a whole.
#pragma once

#include "base/clock.hpp"
#include "base/height_set.hpp"
#include "base/task.hpp"
#include "chain/rows/rows.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

struct PendingTree {
    std::string tx_hash;
    std::string sender_id;
    chain::BlockRef included_in;
    std::optional<chain::ShardId> shard_id;
    unsigned attempts = 0;
    bool ordered = false;  // as part of a backfill
    // Its block is of a protocol that dropped invalid transactions of a chunk without an outcome
    // (chain/json/protocol.hpp).
    bool may_be_discarded = false;
    // Since some of its receipts could not be had: they decide its verdict, or complete what is stored of it.
    std::optional<std::chrono::milliseconds> receipts_missing_for;
    chain::StoredPart stored_part = chain::StoredPart::none;
    bool stored_whole = false;  // and it is fetched again, in the place of all that is stored
    bool has_result = false;    // stored with that part
    // Blocks should have brought all of it (place_silent_tree()).
    bool outcomes_missing = false;
};

// As a host tells it.
struct ToldOutcome {
    std::string receipt_id;
    std::string block_hash;
};

// Outcomes of a tree that whole blocks of their heights should have had.
struct LeftOutOutcomes {
    std::uint64_t count = 0;
    base::Height last = 0;
};

// Trees that are waited for longer than they should take, those of ordered backfills left out.
struct OverdueTrees {
    std::uint64_t count = 0;  // at most kMostOverdue
    std::string oldest_tx_hash;
    std::string oldest_fault;                 // the last one, as postpone_tree() was told; empty: none
    std::chrono::milliseconds oldest_age{0};  // since its block was stored
};
inline constexpr std::uint64_t kMostOverdue = 10'000;

struct LateTrees {
    chain::DecidedCounts decided;
    bool more = false;  // may be due
};

class TreeStore {
public:
    virtual ~TreeStore() = default;

    // One transaction: receipts and events of a tree, its transaction row completed, its data
    // receipts adopted, its pending_trees row removed, or kept where these rows are a part of it. What was
    // told by a part and does not hold is taken back. Nothing if its block was removed meanwhile, or blocks
    // have brought all of it. Idempotent. Where outcomes were missing, returns which.
    virtual base::Task<LeftOutOutcomes> commit_tree(chain::TreeRows tree) = 0;
    // Leases due pending trees for a few seconds, oldest first; drops those that are judged and whole by now.
    // postpone_tree() sets a later time for a tree that is not ready.
    virtual base::Task<std::vector<PendingTree>> due_trees(unsigned limit, base::HeightRange included_in) = 0;
    // Trees of which a part is stored do not count, nor are they overdue; nor do those count that blocks
    // should have brought, once a host was asked for them: most only take their time.
    virtual base::Task<std::uint64_t> pending_tree_count(base::HeightRange included_in) = 0;
    // Trees that have been pending for longer than `age`.
    virtual base::Task<OverdueTrees> overdue_trees(std::chrono::seconds age) = 0;
    virtual base::Task<void> postpone_tree(PendingTree tree, std::chrono::milliseconds delay,
                                           std::string reason) = 0;
    // The same, as some of its receipts could not be had.
    virtual base::Task<void> await_receipts(PendingTree tree, std::chrono::milliseconds delay,
                                            std::vector<std::string> missing) = 0;

    // The chain has dropped this transaction, and nobody will tell an outcome: it failed, of class
    // `discarded`. One transaction: its row, result and finding, which it returns; it is pending no more. A
    // finding since `news_since` is told to people. Idempotent.
    virtual base::Task<chain::DecidedCounts> discard_tree(PendingTree tree, chain::NewsSince news_since) = 0;

    // At the first and the last of these heights, and maybe between them, blocks cease to tell outcomes:
    // trees from kSeamReach heights below the first one up to the last one that have no result, or lack
    // receipts, become pending. Returns how many were not yet. Idempotent.
    virtual base::Task<std::uint64_t> take_over_trees(base::HeightRange ends) = 0;
    // Trees included at these heights, of whole blocks, of which a receipt is announced and no outcome of it
    // is stored; without those that are pending.
    virtual base::Task<std::vector<PendingTree>> silent_trees(base::HeightRange included_in) = 0;
    // Stored heights that `receiptd reindex` is to replace: their rows may lack what the block has.
    virtual base::Task<base::HeightSet> heights_to_replace() = 0;
    // It becomes pending if all blocks of these outcomes are stored, and one as a whole block that lacks its
    // outcome; or, with why it is `untold`, whatever is stored, and as one that was asked for. False:
    // neither, or it is over.
    virtual base::Task<bool> place_silent_tree(PendingTree tree, std::vector<ToldOutcome> told,
                                               std::string untold) = 0;

    // Judges the trees that adoption around there has put together and that are complete: results and
    // findings that are not stored yet, which it returns. Findings since `news_since` are told to people.
    // Call after it. Where the database refuses these rows, the trees are late. Idempotent.
    virtual base::Task<chain::DecidedCounts> settle_trees(base::HeightRange around,
                                                          chain::NewsSince news_since) = 0;

    // Judges some of the trees that commits named as late (CommitFacts::late_trees), those of backfills or
    // the others: parents, roles, results and findings of what is stored of them. One that cannot be judged,
    // or whose rows the database refuses, is tried again in an hour, and keeps no other one. Idempotent.
    virtual base::Task<LateTrees> judge_late_trees(bool history, chain::NewsSince news_since) = 0;
    // Late trees that lack their transaction, or only the resume of a yield, and were first looked at a
    // minute or two ago, are due now. Call when the blocks that may have it are stored.
    virtual base::Task<void> hurry_late_trees() = 0;
    // The rows from this height on were stored before the ones below: the trees of the last kSeamReach
    // heights below that are not over, or went on at this height or above, become late, as no follower saw
    // both sides of them. `history`: of a backfill. Idempotent.
    virtual base::Task<void> make_late_across(base::Height from, bool history) = 0;
    // Makes trees late of which orphans are stored, and now their transaction, however far apart. Returns how
    // many.
    virtual base::Task<std::uint64_t> find_late_trees() = 0;
};

}  // namespace receiptd::storage
