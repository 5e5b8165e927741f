// Connections with a database thread each, for one class of work: work given to it runs on whichever is free,
// and in the order it was given while none is.
#pragma once

#include "base/offload.hpp"
#include "base/task.hpp"
#include "storage/session.hpp"

#include <boost/asio/thread_pool.hpp>

#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

namespace receiptd::storage {

class Lane {
public:
    Lane(SessionContext& context, unsigned connections, WaitedFor waited_for = WaitedFor::by_daemon)
        : context_(context), waited_for_(waited_for), threads_(connections) {
        for (unsigned i = 0; i < connections; ++i)
            idle_.push_back(std::make_unique<Session>(context, waited_for));
    }

    // Runs work(connection) on a thread of the lane until it succeeds or, for people, their time is over. It
    // may outlive its caller: it owns what it touches, or the database does.
    template <class Work>
    base::Task<std::invoke_result_t<Work&, pqxx::connection&>> run(Work work) {
        return base::offload(
            threads_, [this, until = context_.patience_ends(waited_for_), work = std::move(work)]() mutable {
                const Borrowed borrowed(*this);
                return borrowed.session->run(work, until);
            });
    }

    // Runs work(tx) in one transaction, which is committed when it returns.
    template <class Work>
    base::Task<std::invoke_result_t<Work&, pqxx::work&>> transaction(Work work) {
        return base::offload(
            threads_, [this, until = context_.patience_ends(waited_for_), work = std::move(work)]() mutable {
                const Borrowed borrowed(*this);
                return borrowed.session->transaction(work, until);
            });
    }

private:
    // There is one session for every thread. The session used last is used next, so that spare ones stay
    // closed.
    struct Borrowed {
        explicit Borrowed(Lane& of) : lane(of) {
            const std::lock_guard lock(lane.mutex_);
            session = std::move(lane.idle_.back());
            lane.idle_.pop_back();
        }
        ~Borrowed() {
            const std::lock_guard lock(lane.mutex_);
            lane.idle_.push_back(std::move(session));
        }
        Borrowed(const Borrowed&) = delete;
        Borrowed& operator=(const Borrowed&) = delete;
        Lane& lane;
        std::unique_ptr<Session> session;
    };

    SessionContext& context_;
    WaitedFor waited_for_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Session>> idle_;
    base::asio::thread_pool threads_;  // destroyed first: joins
};

}  // namespace receiptd::storage
