// Source rpc: a block does not say what became of its transactions, so the tree of each one in
// scope is fetched until it is complete and final, then stored in one transaction.
#pragma once

#include "follow/state.hpp"
#include "rpc/source.hpp"
#include "storage/store.hpp"

#include <boost/asio/thread_pool.hpp>

#include <map>
#include <string>
#include <vector>

namespace receiptd::follow {

class Trees {
public:
    Trees(base::asio::any_io_executor executor, base::asio::thread_pool& cpu, rpc::TreeSource& source,
          storage::Store& store, State& state, base::Duration patience);

    // Works off pending_trees until the state is stopping.
    base::Task<void> run();

    // Time since a tree was last completed while some were pending (for `run --until`).
    bool stalled() const;

private:
    base::Task<void> work(storage::PendingTree pending);
    base::Task<void> store(const storage::PendingTree& pending, rpc::TreeSource::Tree tree);
    // nullopt: a block is not final or could not be had yet.
    base::Task<std::optional<std::vector<chain::ExecutionBlock>>> execution_blocks(
        const storage::PendingTree& pending, const chain::TransactionStatus& status);
    base::Task<std::optional<chain::BlockRef>> find_block(std::string hash);
    base::Task<void> postpone(const storage::PendingTree& pending, std::string reason);
    bool out_of_patience(const storage::PendingTree& pending);

    base::asio::any_io_executor executor_;
    base::asio::thread_pool& cpu_;
    rpc::TreeSource& source_;
    storage::Store& store_;
    State& state_;
    base::Duration patience_;
    std::map<std::string, base::SteadyTime> wanting_since_;  // a block that a complete tree executed in
    base::SteadyTime progress_at_;
};

}  // namespace receiptd::follow
