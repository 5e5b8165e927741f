// Finished batches on their way into the database: one loop for each connection, and one batch that waits.
#pragma once

#include "base/event.hpp"
#include "base/task_group.hpp"
#include "chain/rows/rows.hpp"
#include "follow/state.hpp"
#include "storage/block_store.hpp"

#include <functional>
#include <optional>
#include <string>

namespace receiptd::follow {

class Writers {
public:
    Writers(base::asio::any_io_executor executor, storage::BlockStore& store, State& state);

    // Called after each commit.
    using OnCommitted = std::function<void(const chain::CommitFacts& facts)>;
    void on_committed(OnCommitted told) { told_ = std::move(told); }

    // Called with each host that gave what the database does not take.
    using OnRefused = std::function<void(const std::string& host)>;
    void on_refused(OnRefused told) { blame_ = std::move(told); }

    // The loops, one per writer: spawn each in the daemon's task group.
    base::Task<void> run();

    // Hands over a batch; waits while another one waits for a writer, as a batch is made in less time than
    // it is written. After a commit that failed for good (run() has thrown) neither of the two waits.
    base::Task<void> submit(chain::RowBatch batch);
    // Waits until everything submitted so far is committed.
    base::Task<void> drain();

private:
    base::Task<void> write(chain::RowBatch batch);
    bool was_refused(const chain::CommitFacts& facts) const;
    base::Task<void> refuse(const chain::CommitFacts& facts, std::string why);
    void observe_lag(const chain::CommitFacts& facts);

    storage::BlockStore& store_;
    State& state_;
    OnCommitted told_;
    OnRefused blame_;
    unsigned busy_ = 0;
    bool failed_ = false;  // a commit failed for good: nothing waits any more
    std::optional<chain::RowBatch> waiting_;
    base::Event moved_;  // something was handed over, taken or committed
};

}  // namespace receiptd::follow
