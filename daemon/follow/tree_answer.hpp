// A host's answer about a tree, and what the loop needs of it: the answer may be as large as a host likes, so
// it is read off the event loop.
#pragma once

#include "follow/tree_progress.hpp"
#include "rpc/final_tree.hpp"
#include "rpc/source.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace receiptd::follow {

using SharedTree = std::shared_ptr<const rpc::TreeSource::Tree>;

struct TreeAnswer {
    SharedTree tree;  // nullptr: what follows is all that was kept
    std::string host;
    bool complete = false;
    bool is_large = false;         // it has room of its own
    std::size_t outcomes = 0;      // of receipts
    rpc::BlockHashes executed_in;  // by these
    Waits waits;                   // of an incomplete one
};
// Pure, and linear in the answer.
TreeAnswer read_answer(SharedTree tree);

// A hash may be executed in several blocks, and hosts give one execution: whether it is not that of this
// block.
bool is_of_another_execution(const rpc::TreeSource::Tree& tree, const chain::BlockRef& included_in);
inline constexpr const char* kOfAnotherExecution =
    "hosts give another execution of this hash, in another block";

// Whether these blocks executed all of it.
bool all_final(const TreeAnswer& answer, const rpc::FinalBlocks& blocks);
// Whether one of these executed some of it.
bool rests_on(const TreeAnswer& answer, const rpc::BlockHashes& blocks);

}  // namespace receiptd::follow
