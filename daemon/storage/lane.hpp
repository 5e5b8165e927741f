// One database thread with a connection of its own: work given to it runs one after the other. Every store
// has its own lanes, so that nobody waits behind another's work.
#pragma once

#include "base/task.hpp"
#include "storage/session.hpp"

#include <boost/asio/thread_pool.hpp>

#include <type_traits>
#include <utility>

namespace receiptd::storage {

class Lane {
public:
    explicit Lane(SessionContext& context, Commits commits = Commits::flushed) : session_(context, commits) {}

    // Runs work(connection) on the lane's thread until it succeeds.
    template <class Work>
    base::Task<std::invoke_result_t<Work&, pqxx::connection&>> run(Work work) {
        return base::offload(
            thread_, [this, work = std::move(work)]() mutable { return session_.run(std::move(work)); });
    }

private:
    Session session_;
    base::asio::thread_pool thread_{1};  // destroyed first: joins
};

}  // namespace receiptd::storage
