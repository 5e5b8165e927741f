// Heights by what became of them: wanted, stored, being worked on, not to be had. As the database has them,
// and as the loops of this process work on them.
#pragma once

#include "base/event.hpp"
#include "base/height_set.hpp"
#include "chain/rows/rows.hpp"
#include "metrics/follow_series.hpp"
#include "rpc/source.hpp"
#include "storage/block_store.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::follow {

// A range is stopped at `height`: its block does not fit the chain.
struct BrokenChain {
    base::Height height = 0;
    std::string why;
};

// The hosts do not have this stored block.
struct Refuted {
    chain::BlockRef block;
    std::string why;
    std::vector<std::string> told_by;  // hosts
    bool with_all_above = false;       // else those above go that the hosts do not have either
};

class Heights {
public:
    explicit Heights(metrics::FollowSeries& series) : series_(series) {}

    base::Signal changed;

    // As the database has them at the start. `tip`: the highest stored block.
    void load(storage::Coverage coverage, const std::vector<storage::UnavailableHeight>& unavailable,
              std::optional<chain::BlockRef> tip);

    // The database may have lost heights since `before` was stored: they are wanted, and not stored any more.
    // `read`: its coverage, read after that; `tip`: its highest block.
    void read_again(const base::HeightSet& before, storage::Coverage read,
                    const std::optional<chain::BlockRef>& tip);

    const storage::Coverage& coverage() const { return coverage_; }
    bool stored(base::Height height) const { return coverage_.covered.contains(height); }
    base::HeightSet stored(base::HeightRange range) const { return coverage_.covered.within(range); }
    base::HeightSet gaps() const { return coverage_.gaps(); }
    // The highest block committed since the start, or found stored.
    const std::optional<chain::BlockRef>& tip() const { return tip_; }
    const std::map<base::Height, storage::UnavailableHeight>& unavailable() const { return unavailable_; }
    // The hosts agree on the stored blocks up to this height: what ends by a height ends by this one. 0:
    // none.
    base::Height agreed() const { return agreed_; }
    void agree_up_to(base::Height height);
    // Unavailable ones that were tried since the start.
    const base::HeightSet& given_up() const { return given_up_; }
    const std::optional<BrokenChain>& broken() const { return broken_; }

    // Some run works on these.
    const base::HeightSet& in_flight() const { return in_flight_; }
    // Claimed by a run with an end that has not come to it: stored, maybe, but its seams are not looked at.
    const base::HeightSet& unsettled() const { return unsettled_; }
    void claim(const base::HeightSet& heights, bool to_be_settled);
    void release(const base::HeightSet& heights);  // the run is over, or gives them up
    void written(const base::HeightSet& heights) { in_flight_.subtract(heights); }

    void want(base::HeightRange range) { coverage_.wanted.add(range); }
    // The blocks that one host alone told are removed: the run along the head asks the hosts for their word
    // on the first block.
    bool begins_again() const;
    void set_one_host_since(std::optional<base::Height> height) { coverage_.one_host_since = height; }
    void learn_committed(const chain::CommitFacts& facts);
    // The batch of these facts was refused: part of it is among `stored`.
    void learn_stored_by_others(storage::Coverage stored, const chain::CommitFacts& facts);
    void learn_unavailable(const storage::UnavailableHeight& height);
    // The record of another attempt in vain.
    storage::UnavailableHeight in_vain(base::Height height, std::string reason, std::string detail) const;
    // The database refused a batch of these: the one whose rows it does not take is found by writing each by
    // itself.
    void write_alone(const base::HeightSet& heights);
    bool alone(base::Height height) const { return alone_.contains(height); }
    void set_broken(base::Height height, std::string why);
    // The run along the head removes it.
    void refute(Refuted block);
    const std::optional<Refuted>& refuted() const { return refuted_; }
    bool has_false_outcomes() const { return !to_be_removed_.empty(); }
    std::optional<Refuted> take_refuted() { return std::exchange(refuted_, std::nullopt); }
    // Outcomes of a stored block are not those of the chain. The run along the head removes the block, and
    // the run that stores it again takes them from `answers`.
    void refute_outcomes(base::Height height, rpc::BlockContents::Amendment answers);
    base::HeightSet take_false_outcomes();  // to be removed
    std::optional<rpc::BlockContents::Amendment> take_answers(base::Height height);
    // Where nothing was removed, outcomes are compared and hosts are asked again.
    void forget_answers(const base::HeightSet& about);
    bool is_being_corrected(base::Height height) const { return answers_.contains(height); }
    // Every wanted height of the range is stored and stays so.
    bool is_whole(base::HeightRange range) const;
    std::size_t answers_held() const;
    // The rows of blocks with false outcomes are gone.
    void learn_to_be_stored_again(const base::HeightSet& missing);

    // The rows of a block that was not of this chain are gone. `tip`: the highest stored one now.
    void learn_removed(const base::HeightSet& missing, std::optional<chain::BlockRef> tip);

    // The height up to which everything from this one on is stored. The newest blocks may be on their way:
    // `from` itself, or one less than `lag` below it, must be stored; otherwise nullopt.
    std::optional<base::Height> covered_up_to(base::Height from, base::Height lag) const;
    base::HeightSet missing_in(base::HeightRange range) const;  // not stored, wanted or not
    base::HeightSet untried_in(base::HeightRange range) const;  // gaps that were not asked for in vain
    // Whether every height from this one on is stored, or will be: false above a hole that nobody fills.
    bool follows_since(base::Height from) const;

private:
    void learn_stored(const chain::BlockRef& block);
    void forget_agreement_on(const base::HeightSet& missing);
    void forget_faults_of(const base::HeightSet& covered);
    void publish();

    metrics::FollowSeries& series_;
    storage::Coverage coverage_;
    std::optional<chain::BlockRef> tip_;
    base::Height agreed_ = 0;
    base::HeightSet in_flight_;
    base::HeightSet unsettled_;
    std::map<base::Height, storage::UnavailableHeight> unavailable_;
    base::HeightSet given_up_;
    base::HeightSet alone_;
    std::optional<BrokenChain> broken_;
    std::optional<Refuted> refuted_;
    std::map<base::Height, rpc::BlockContents::Amendment> answers_;  // by blocks with false outcomes
    base::HeightSet to_be_removed_;                                  // of these
};

}  // namespace receiptd::follow
