// Looks through blocks before they are final, while a watched transaction waits for one (decision 0066).
#pragma once

#include "base/task.hpp"
#include "follow/rhythm.hpp"
#include "follow/state.hpp"
#include "rpc/early_blocks.hpp"

namespace receiptd::follow {

class EarlyLook {
public:
    EarlyLook(rpc::EarlyBlocks& blocks, State& state) : blocks_(blocks), state_(state) {}

    // Until it is cancelled or stop is requested.
    base::Task<void> run();

private:
    base::Task<void> look();
    void tell(const rpc::EarlyBlock& block);

    rpc::EarlyBlocks& blocks_;
    State& state_;
    BlockRhythm rhythm_;
};

}  // namespace receiptd::follow
