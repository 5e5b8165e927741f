// One database thread with a connection of its own: work given to it runs one after the other. Every store
// has its own lanes, so that nobody waits behind another's work.
#pragma once

#include "base/offload.hpp"
#include "base/task.hpp"
#include "storage/session.hpp"

#include <boost/asio/thread_pool.hpp>

#include <type_traits>
#include <utility>

namespace receiptd::storage {

class Lane {
public:
    explicit Lane(SessionContext& context, WaitedFor waited_for = WaitedFor::by_daemon)
        : session_(context, waited_for) {}

    // Runs work(connection) on the lane's thread until it succeeds or, for people, their time is over.
    template <class Work>
    base::Task<std::invoke_result_t<Work&, pqxx::connection&>> run(Work work) {
        return base::offload(thread_,
                             [this, until = session_.patience_ends(), work = std::move(work)]() mutable {
                                 return session_.run(std::move(work), until);
                             });
    }

    // Runs work(tx) in one transaction, which is committed when it returns.
    template <class Work>
    base::Task<std::invoke_result_t<Work&, pqxx::work&>> transaction(Work work) {
        return run([work = std::move(work)](pqxx::connection& connection) mutable {
            pqxx::work tx(connection);
            if constexpr (std::is_void_v<std::invoke_result_t<Work&, pqxx::work&>>) {
                work(tx);
                tx.commit();
            } else {
                auto value = work(tx);
                tx.commit();
                return value;
            }
        });
    }

private:
    Session session_;
    base::asio::thread_pool thread_{1};  // destroyed first: joins
};

}  // namespace receiptd::storage
