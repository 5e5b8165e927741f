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

namespace receiptd::follow {

class OutcomeCheck {
public:
    // All of them outlive it. `trees`: of other hosts than the one that has whole blocks. `agreement`: chunk
    // headers count up to the height on which the hosts agree. `blocks_tell_outcomes`: alerts about them
    // wait, where other hosts are configured.
    OutcomeCheck(base::asio::any_io_executor executor, storage::OutcomeStore& store, rpc::TreeSource& trees,
                 const Agreement& agreement, State& state, bool blocks_tell_outcomes)
        : executor_(std::move(executor)),
          store_(store),
          trees_(trees),
          agreement_(agreement),
          state_(state),
          blocks_tell_outcomes_(blocks_tell_outcomes) {}

    // Until stop is requested.
    base::Task<void> run();

private:
    // Counts the questions about one block with false outcomes.
    struct Attempts {
        unsigned count = 0;
        base::SteadyTime next_at{};
        bool all_answered = false;  // two hosts, or the only other one, about each tree
    };
    struct Answers {
        rpc::BlockContents::Amendment amendment;
        bool each_has_one = true;  // no tree is without an answer
        bool all_answered = true;
    };

    base::Task<void> compare(base::Height agreed);
    base::Task<void> refuted(base::Height height, base::Height agreed);
    base::Task<void> leave(base::Height height, std::string because);
    base::Task<Answers> ask(storage::FalseOutcomes wrong);
    base::Task<void> ask(const storage::FalseOutcomes::Tree& tree, Answers& answers);

    base::asio::any_io_executor executor_;
    storage::OutcomeStore& store_;
    rpc::TreeSource& trees_;
    const Agreement& agreement_;
    State& state_;
    bool blocks_tell_outcomes_;
    std::map<base::Height, Attempts> attempts_;
};

}  // namespace receiptd::follow
