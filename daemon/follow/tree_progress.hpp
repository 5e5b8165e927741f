// Source rpc: when asking for a tree again is worth a request. Pure.
#pragma once

#include "base/height_set.hpp"
#include "rpc/source.hpp"

#include <string>
#include <vector>

namespace receiptd::follow {

// A node shows two blocks above the final one, so an execution is seen two blocks before it is final.
inline constexpr base::Height kSeenAhead = 2;

// The executions and data that an incomplete tree waits for.
struct Waits {
    bool moves = false;                 // something of it may be executed any time
    std::vector<std::string> for_data;  // else nothing but this data moves it
};
Waits waits_of(const rpc::TreeSource::Tree& tree);

struct NextAsk {
    base::Height at = 0;  // when this height is final
    // Nothing but this data can move the tree: ask when one is listed, and at `at` at the latest.
    std::vector<std::string> waits_for_data;
};
// The first answer is asked for one block after the transaction's: nodes tell of blocks that are not final
// yet, so that most trees are whole in it. Of a watched one at once: a receipt that its signer sends to
// itself is executed in the same block.
NextAsk first_ask(base::Height included_in, bool watched);
// After an incomplete answer, which came when `final_height` was final.
struct Progress {
    unsigned answers_alike = 1;  // the last ones, this one included: none told more than the one before
    bool watched = false;        // somebody waits for its stages
};
NextAsk next_ask(Waits waits, const Progress& progress, base::Height final_height);

}  // namespace receiptd::follow
