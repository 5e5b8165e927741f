// Compares the outcomes of stored whole blocks with the roots that the chain has of them (decision 0043), and
// has those that differ fetched again.
#pragma once

#include "follow/agreement.hpp"
#include "follow/state.hpp"
#include "rpc/source.hpp"
#include "storage/outcome_store.hpp"

#include <boost/asio/any_io_executor.hpp>

namespace receiptd::follow {

struct OutcomeSources {
    storage::OutcomeStore& store;
    rpc::TreeSource& trees;  // of other hosts than the one that has whole blocks
};

class OutcomeCheck {
public:
    // All of them outlive it. `agreement`: chunk headers count up to the height on which the hosts agree.
    // `blocks_tell_outcomes`: alerts about them wait, where other hosts are configured.
    OutcomeCheck(base::asio::any_io_executor executor, storage::OutcomeStore& store,
                 const Agreement& agreement, State& state, bool blocks_tell_outcomes)
        : executor_(std::move(executor)),
          store_(store),
          agreement_(agreement),
          state_(state),
          blocks_tell_outcomes_(blocks_tell_outcomes) {}

    // Until stop is requested.
    base::Task<void> run();

private:
    base::Task<void> compare(base::Height agreed);
    base::Task<void> refuted(base::Height height, base::Height agreed);

    base::asio::any_io_executor executor_;
    storage::OutcomeStore& store_;
    const Agreement& agreement_;
    State& state_;
    bool blocks_tell_outcomes_;
};

}  // namespace receiptd::follow
