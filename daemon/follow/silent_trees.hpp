// Trees of whole blocks in which a receipt is announced that no later block executes. Most only take their
// time, under congestion or while a yield waits. A host is asked for each: what it tells of blocks that are
// stored without it was left out of them, and the tree becomes pending. So does a tree that no host knows,
// and in the end one of which hosts give another execution.
#pragma once

#include "base/event.hpp"
#include "base/height_set.hpp"
#include "base/task.hpp"
#include "follow/state.hpp"
#include "rpc/source.hpp"
#include "storage/tree_store.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <optional>

namespace receiptd::follow {

// Blocks above the transaction after which a tree that is not over is looked at: by the first most are over,
// by the second a yield has timed out, and after the last nothing is left to wait for.
inline constexpr std::array<base::Height, 3> kSilence{50, 250, 1'200};

class SilentTrees {
public:
    // `wake_trees`: some became pending. All references outlive it.
    SilentTrees(base::asio::any_io_executor executor, base::asio::thread_pool& cpu, rpc::TreeSource& source,
                storage::TreeStore& store, State& state, std::function<void()> wake_trees);

    // Looks until the state is stopping.
    base::Task<void> run();
    // Looks once at all heights that are due.
    base::Task<void> look();
    // Whether nothing is due at these heights, or no host answers. If not, looks at once.
    bool done(base::HeightRange range);
    // The rows of these heights are gone.
    void forget(const base::HeightSet& lost);

private:
    struct Due {
        std::size_t stage = 0;
        base::HeightRange heights;
    };
    std::optional<Due> next_due(base::HeightRange range) const;
    base::Task<void> leave_what_is_replaced();
    base::HeightSet known() const;
    base::Task<void> look_unless_refused(storage::PendingTree tree, std::size_t stage);
    base::Task<void> look_at(storage::PendingTree tree, bool last);

    base::asio::thread_pool& cpu_;
    rpc::TreeSource& source_;
    storage::TreeStore& store_;
    State& state_;
    std::function<void()> wake_trees_;
    base::Wakeup wakeup_;
    std::array<base::HeightSet, kSilence.size()> looked_at_;  // by stage
    base::HeightSet lost_;                                    // meanwhile
    base::HeightSet left_alone_;                              // trees from there run where rows are replaced
    bool in_vain_ = false;                                    // no host answered the last question
};

}  // namespace receiptd::follow
