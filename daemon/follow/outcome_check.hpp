// Compares the outcomes of stored whole blocks with the roots that the chain has of them (decision 0043),
// asks other hosts for those that differ, and has the block stored again with their answers.
#pragma once

#include "base/backoff.hpp"
#include "follow/agreement.hpp"
#include "follow/state.hpp"
#include "rpc/source.hpp"
#include "storage/outcome_store.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <map>
#include <string>
#include <vector>

namespace receiptd::follow {

class OutcomeCheck {
public:
    // Hosts other than the one that has whole blocks.
    struct Others {
        rpc::TreeSource& trees;
        rpc::BlockSource& blocks;  // with the transactions that their chunks list
    };
    // All of them outlive it. `agreement`: chunk headers count up to the height on which the hosts agree.
    // `blocks_tell_outcomes`: only then there are outcomes to compare.
    OutcomeCheck(base::asio::any_io_executor executor, storage::OutcomeStore& store, Others others,
                 const Agreement& agreement, State& state, bool blocks_tell_outcomes)
        : executor_(std::move(executor)),
          store_(store),
          others_(others),
          agreement_(agreement),
          state_(state),
          blocks_tell_outcomes_(blocks_tell_outcomes) {}

    // Alerts about outcomes wait from then on, if they can be compared. Call before blocks are stored.
    base::Task<void> hold_alerts();
    // Until stop is requested.
    base::Task<void> run();
    // Once, stored heights of this range up to the one on which the hosts agree. Gives those whose outcomes
    // are false; other hosts are asked for them by and by.
    base::Task<base::HeightSet> compare_stored(base::HeightRange range);

private:
    // Counts the questions about one block with false outcomes.
    struct Attempts {
        unsigned count = 0;
        base::SteadyTime next_at{};
        bool was_amended = false;   // by answers about the trees that were stored there
        bool all_answered = false;  // two hosts, or the only other one, about each tree that may be there
    };
    struct Answers {
        rpc::BlockContents::Amendment amendment;
        bool each_has_one = true;  // no tree is without an answer
        bool all_answered = true;
    };

    base::Task<base::HeightSet> compare(base::HeightRange range, base::Height agreed);
    base::Task<void> refuted(base::Height height, base::Height agreed);
    base::Task<void> leave(base::Height height, std::string because);
    using Tree = storage::FalseOutcomes::Tree;
    base::Task<Answers> ask(base::Height height, storage::FalseOutcomes wrong, bool for_all);
    base::Task<void> ask_for_stored(const Tree& tree, Answers& answers);
    base::Task<void> ask_for_possible(const Tree& tree, Answers& answers);
    base::Task<std::vector<Tree>> possible(base::Height height, const storage::FalseOutcomes& wrong,
                                           Answers& answers);
    base::Task<rpc::TreeSource::TreeResult> tree(const Tree& tree, std::string elsewhere_than);

    base::asio::any_io_executor executor_;
    storage::OutcomeStore& store_;
    Others others_;
    const Agreement& agreement_;
    State& state_;
    bool blocks_tell_outcomes_;
    std::map<base::Height, Attempts> attempts_;
};

}  // namespace receiptd::follow
