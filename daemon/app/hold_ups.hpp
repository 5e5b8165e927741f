// Sessions of other people that hold up something of this daemon in the database: named in the log, by
// /readyz and by metrics.
#pragma once

#include "base/clock.hpp"
#include "base/task.hpp"
#include "storage/database.hpp"
#include "storage/pg_finding_store.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <optional>
#include <string>

namespace receiptd::app {

class HoldUps {
public:
    // All of them outlive it.
    HoldUps(base::asio::any_io_executor executor, storage::Database& database,
            storage::PgFindingStore& findings, const base::Clock& clock)
        : executor_(std::move(executor)), database_(database), findings_(findings), clock_(clock) {}

    // Locks, and rows of `watches`. Runs until it is cancelled.
    base::Task<void> watch_locks();
    // Lines of /v1/stream, which wait for every older transaction of the cluster.
    base::Task<void> watch_stream();

    // Says what is held up, and by whom; empty: nothing is.
    std::string in_words() const;

private:
    void learn(std::optional<storage::HeldUp> now);
    double seconds() const;

    base::asio::any_io_executor executor_;
    storage::Database& database_;
    storage::PgFindingStore& findings_;
    const base::Clock& clock_;
    std::optional<storage::HeldUp> held_up_;
    base::SteadyTime since_{};
    unsigned clear_looks_ = 0;  // in a row
    base::SteadyTime told_at_{};
};

}  // namespace receiptd::app
