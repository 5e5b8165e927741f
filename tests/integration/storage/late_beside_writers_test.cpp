// Two connections write the blocks of one run, so later ones may be stored first: late trees are judged then
// without what is still being written.
#include "doubled_chain.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace receiptd::test {
namespace {

class LateBesideWriters : public ExecutedTwice {
protected:
    // All of a run is stored with its block `at` last.
    void follow_with_last(std::size_t at, std::size_t trees) {
        auto batches = batches_of_run(0, kChainLength, trees);
        auto last = std::move(batches[at]);
        for (std::size_t i = 0; i < batches.size(); ++i) {
            if (i == at) continue;
            ASSERT_EQ(commit(std::move(batches[i])), CommitOutcome::committed);
            judge_late();
        }
        ASSERT_EQ(commit(std::move(last)), CommitOutcome::committed);
        await(store().trees.hurry_late_trees());
        judge_late();
    }
};

TEST_F(LateBesideWriters, EachExecutionHasItsResultWhicheverBlockIsStoredFirst) {
    for (const std::size_t later : {1u, 3u}) {
        tell(End::promise_failed, End::promise_failed, later);
        for (const std::size_t trees : {LiveTrees::kMost, std::size_t{0}}) {
            clear();
            follow(0, kChainLength, trees);
            judge_late();
            const auto expected = all_rows();
            for (std::size_t at = 0; at < later + kTreeLength; ++at) {
                clear();
                follow_with_last(at, trees);
                ASSERT_EQ(all_rows(), expected) << later << " later, block " << at << " is stored last";
            }
        }
    }
}

}  // namespace
}  // namespace receiptd::test
