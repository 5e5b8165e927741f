// Source rpc: when asking for a tree again is worth a request. Pure.
#pragma once

#include "base/height_set.hpp"
#include "rpc/source.hpp"

#include <string>
#include <vector>

namespace receiptd::follow {

struct NextAsk {
    base::Height at = 0;  // when this height is final
    // Nothing but this data can move the tree: ask when one is listed, and at `at` at the latest.
    std::vector<std::string> waits_for_data;
};
// The first answer is asked for one block after the transaction's: nodes tell of blocks that are not final
// yet, so that most trees are whole in it.
NextAsk first_ask(base::Height included_in);
// After `asks` incomplete answers, the last of which came when `final_height` was final.
NextAsk next_ask(const rpc::TreeSource::Tree& tree, unsigned asks, base::Height final_height);

}  // namespace receiptd::follow
