// Follower's turns: of the daemons on one database one follows the head, the others wait to take over.
#include "follow/follower.hpp"

#include <utility>

namespace receiptd::follow {
namespace {

constexpr auto kLookAtStored = std::chrono::seconds(3);

}  // namespace

base::Task<Follower::End> Follower::follow_in_turns(Leadership& leadership) {
    return to_its_end(take_turns(leadership), {0, 0});
}

base::Task<void> Follower::take_turns(Leadership& leadership) {
    while (!state_.stop.for_good()) {
        co_await turn(leadership);
        co_await end_loops();
        if (failure_) co_return;
        state_.stop.begin_turn();
        make_trees();
    }
}

// Ends when the leader changes. Whoever begins to lead reads what the former one has stored.
base::Task<void> Follower::turn(Leadership& leadership) {
    engine_.epoch = leadership.epoch();
    co_await prepare();
    if (engine_.epoch)
        co_await start_following(std::nullopt);
    else
        stand_by();
    base::Wakeup wakeup(executor_, {&leadership.changed, &state_.stop.signal});
    while (!state_.stop.requested() && leadership.epoch() == engine_.epoch) {
        co_await wakeup.wait_for(kLookAtStored);
        // Status shows what the leader stores.
        if (!engine_.epoch && !state_.stop.requested()) co_await read_coverage_anew();
    }
    state_.stop.end_turn();
}

void Follower::stand_by() {
    follows_ = true;
    for (unsigned writer = 0; writer < settings_.writers; ++writer) writing_.spawn(guard(writers_.run()));
    loops_.spawn(guard(poll_head(false)));
    runs_.spawn(guard(resume_backfills()));
}

}  // namespace receiptd::follow
