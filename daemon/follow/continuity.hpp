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
        std::optional<std::string> broken;        // the block does not belong to this chain: why
    };
    // The next block of the run. A broken one changes nothing.
    Step block(const chain::BlockRef& block);

    // The run is over: decides the heights denied last from the block above.
    Step finish();
    void set_above(std::optional<chain::BlockRef> above) { above_ = std::move(above); }
    bool undecided() const { return !denied_.empty(); }  // heights denied since the last block

private:
    std::optional<std::string> break_with_parent(const chain::BlockRef& block) const;
    std::optional<std::string> break_with_child(const chain::BlockRef& block) const;
    Step settle(std::optional<base::Height> parent_height, base::Height child_height);

    std::optional<chain::BlockRef> last_;  // the nearest known block below the next height
    std::optional<chain::BlockRef> above_;
    base::HeightSet denied_;  // since last_
};

}  // namespace receiptd::follow
