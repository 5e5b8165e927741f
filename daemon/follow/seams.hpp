// Where a run begins or ends, others may have stored what a receipt belongs to.
//
// Beside whole blocks a receipt and its parent may be stored by different runs: the orphans at such a seam
// are given their parents, and the trees that cross it are judged. Where blocks without outcomes go on above
// whole ones, nobody stores what comes of a tree from there on: it is fetched.
#pragma once

#include "chain/tree/lineage.hpp"
#include "follow/state.hpp"
#include "storage/block_store.hpp"
#include "storage/orphan_store.hpp"
#include "storage/tree_store.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace receiptd::follow {

// Heights around a stretch, at most kSeamReach from it, from which on blocks tell no outcomes while
// below, no farther than that, they do.
std::vector<base::Height> outcomes_end_at(const storage::Coverage& stored, base::HeightRange stretch);

class Seams {
public:
    struct Stores {
        storage::OrphanStore& orphans;
        storage::TreeStore& trees;
        storage::BlockStore& blocks;
    };
    struct Settings {
        bool whole_blocks = true;
        bool accounts = false;  // a receipt may be in scope by its parent alone, which is stored below
    };
    Seams(Stores stores, State& state, Settings settings)
        : stores_(stores), state_(state), settings_(settings) {}

    // Called when trees are to be fetched.
    void on_taken_over(std::function<void()> told) { taken_over_ = std::move(told); }

    // A daemon that starts goes on above this height.
    base::Task<void> go_on_above(base::Height last);
    base::Task<void> adopt(base::HeightRange around, chain::NewsSince news_since);
    base::Task<void> take_over(base::HeightRange stretch);
    // A stretch ends below rows that were stored before it: no run has seen both sides of its trees.
    base::Task<void> look_across(base::Height from, bool history);
    // Trees that went on where nobody here knew them any more.
    base::Task<void> judge_late();
    // All blocks are stored that anything waits for: trees that lacked a resume are looked at once more.
    base::Task<void> judge_at_the_end();

    // Stretches of which a commit knows, and no run that would close them when it ends: it was stopped or
    // killed.
    base::Task<void> close_pending(std::chrono::seconds untouched_for);
    base::Task<void> forget(chain::Seam seam);
    base::Task<void> hold_scope(chain::Lineage& lineage, base::Height from);

    // Unfinished trees that began below these heights, the first and the last at which blocks cease to tell
    // outcomes.
    base::Task<void> take_over_below(base::HeightRange ends);

    bool whole_blocks() const { return settings_.whole_blocks; }

private:
    Stores stores_;
    State& state_;
    Settings settings_;
    std::function<void()> taken_over_;
};

// The seams of one run: where it began, where it went on above heights that were stored already, and where
// it ends.
class RunSeams {
public:
    struct Settings {
        base::Height from = 0;
        bool bounded = false;
        bool history = false;  // of a backfill: people are told of no finding
    };
    RunSeams(Seams& seams, State& state, chain::Lineage& lineage, Settings settings);

    // The run goes on at `next`, where heights below are stored already.
    base::Task<void> begin_at(base::Height next);
    // All below `next` is committed; the run leaps over what is stored from there on.
    base::Task<void> leave_at(base::Height next);
    // Whether it is time to close the seams below `next` (again: the trees that crossed them may have been
    // completed). Along the head, everything below must be committed by then.
    bool due(base::Height next) const { return next >= due_at_; }
    base::Task<void> close_when_due(base::Height next);
    base::Task<void> close_all(base::Height next);

    // The stretch that a batch up to `last` belongs to: the database remembers it with the batch, for the
    // case that the run never comes to its end. nullopt: nobody has to look at its ends.
    std::optional<chain::Seam> seam_up_to(base::Height last);
    // Along the head nothing is stored above: once its beginning is closed for good, nothing is to come.
    bool done() const;
    base::Task<void> forget();  // the remembered stretches, when their batches are written

private:
    base::Task<void> close(base::Height seam);
    base::Height first_wait() const;
    base::Height longest_wait() const;

    Seams& seams_;
    State& state_;
    chain::Lineage& lineage_;
    Settings settings_;
    base::Height latest_;  // seam
    base::Height due_at_;
    std::map<base::Height, chain::Seam> remembered_;  // by their first height
};

}  // namespace receiptd::follow
