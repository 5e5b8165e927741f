// Proof that a run of blocks is one chain: every block names its parent by hash, a height without a
// block is skipped only when a child proves it. Pure.
//
// Rule (chain-model.md §1, §10): the heights between a block's prev_height and its own have no
// block, ever. A height that hosts deny but a child names as parent is a hole, not a skip.
#pragma once

#include "base/height_set.hpp"
#include "chain/rows/rows.hpp"

#include <optional>
#include <string>

namespace receiptd::follow {

class Continuity {
public:
    // `below`, `above`: the nearest stored blocks under and over the run, where there are any.
    explicit Continuity(std::optional<chain::BlockRef> below = std::nullopt,
                        std::optional<chain::BlockRef> above = std::nullopt);

    // Every host denies a block at this height. Heights come in ascending order.
    void denied(base::Height height);

    struct Step {
        base::HeightSet skipped;  // proven: no block at these heights
        base::HeightSet holes;    // denied, yet a block must be there (or nothing proves there is none)
        std::optional<base::Height> prev_height;  // of the block, told or proven
    };
    // The next block of the run, which fits.
    Step block(const chain::BlockRef& block);

    // Why the block cannot belong to this chain, if it cannot.
    struct Misfit {
        std::string why;
        std::optional<chain::BlockRef> known;  // the block that it contradicts; nullopt: itself
    };
    std::optional<Misfit> misfit(const chain::BlockRef& block) const;
    // Whether its parent is the last block of the run, or the one below: nothing can be missing between.
    bool links(const chain::BlockRef& block) const { return last_ && block.prev_hash == last_->hash; }
    const std::optional<chain::BlockRef>& last() const { return last_; }

    // The run is over: decides the heights denied last from the block above.
    Step finish();
    const std::optional<chain::BlockRef>& above() const { return above_; }
    void set_above(std::optional<chain::BlockRef> above) { above_ = std::move(above); }
    std::uint64_t undecided() const { return denied_.size(); }  // heights denied since the last block
    void forget_denied() { denied_ = {}; }

private:
    Step settle(std::optional<base::Height> parent_height, base::Height child_height);

    std::optional<chain::BlockRef> last_;  // the nearest known block below the next height
    std::optional<chain::BlockRef> above_;
    base::HeightSet denied_;  // since last_
};

}  // namespace receiptd::follow
