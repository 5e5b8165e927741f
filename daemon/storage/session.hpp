// One database connection that is kept alive: work given to run() is repeated until it succeeds, fails
// for good, or the process stops. Used by one thread at a time.
#pragma once

#include "base/backoff.hpp"
#include "metrics/storage_series.hpp"
#include "storage/database_options.hpp"
#include "storage/errors.hpp"
#include "storage/fault.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/stop_signal.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

namespace receiptd::storage {

// Says once that the database is lost, once for each reason that it refuses work, and once that it is usable
// again, for all sessions together.
class OutageLog {
public:
    // `patience`: that of the sessions.
    OutageLog(std::string where, std::optional<std::chrono::milliseconds> patience,
              prometheus::Gauge& no_work)
        : where_(std::move(where)), patience_(patience), no_work_(no_work) {}
    // A session cannot do its work; `is_new`: it could before.
    void down(const Fault& fault, bool is_new);
    void back();
    // Why the database answers and takes no work: its disk is full, rights or schema are wrong, or what else
    // it says. Empty: it is not so.
    std::string why_no_work() const;

private:
    std::string trying_again() const;
    mutable std::mutex mutex_;
    std::string where_;
    std::optional<std::chrono::milliseconds> patience_;
    prometheus::Gauge& no_work_;
    std::string why_no_work_;
    std::set<std::string> told_;  // SQLSTATEs
    unsigned sessions_down_ = 0;
    base::SteadyTime since_{};
};

// The party that waits for the session's work.
enum class WaitedFor {
    by_daemon,  // work longer than statement_timeout is cancelled and begun again with twice the time
    by_people,  // work longer than question_timeout ends with StorageTimeout
};

// State that all sessions of a process share; outlives them.
struct SessionContext {
    SessionContext(const DatabaseOptions& options, metrics::StorageSeries& storage_series)
        : database(options.url),
          statement_timeout(options.statement_timeout),
          question_timeout(options.question_timeout),
          patience(options.patience),
          series(storage_series),
          outages(database.where(), options.patience, storage_series.takes_no_work) {}

    ConnectionString database;
    std::chrono::milliseconds statement_timeout;
    std::chrono::milliseconds question_timeout;
    std::optional<std::chrono::milliseconds> patience;
    metrics::StorageSeries& series;
    StopSignal stop;
    OutageLog outages;
    std::atomic<std::uint64_t> reconnects{0};

    // The end of the wait of a call that starts now; nullopt: it waits as long as it takes.
    std::optional<base::SteadyTime> patience_ends(WaitedFor waited_for) const;
};

class Session {
public:
    explicit Session(SessionContext& context, WaitedFor waited_for = WaitedFor::by_daemon)
        : context_(context), waited_for_(waited_for) {}
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() { disconnect(); }

    // work(connection) runs its own transactions; it must be repeatable, and is not begun after `until`.
    // Throws StorageStopped, StorageError (StorageRefused: for a value in it), or what work throws that is no
    // database error.
    template <class Work>
    std::invoke_result_t<Work&, pqxx::connection&> run(Work&& work,
                                                       std::optional<base::SteadyTime> until = std::nullopt) {
        using Value = std::invoke_result_t<Work&, pqxx::connection&>;
        if constexpr (std::is_void_v<Value>) {
            run_repeatedly([&work](pqxx::connection& connection) { work(connection); }, until);
        } else {
            std::optional<Value> value;
            run_repeatedly([&](pqxx::connection& connection) { value.emplace(work(connection)); }, until);
            return std::move(*value);
        }
    }

    // The same with work(tx) in one transaction, which is committed when it returns.
    template <class Work>
    std::invoke_result_t<Work&, pqxx::work&> transaction(Work& work, std::optional<base::SteadyTime> until) {
        using Value = std::invoke_result_t<Work&, pqxx::work&>;
        if constexpr (std::is_void_v<Value>) {
            run_in_transactions([&work](pqxx::work& tx) { work(tx); }, until);
        } else {
            std::optional<Value> value;
            run_in_transactions([&](pqxx::work& tx) { value.emplace(work(tx)); }, until);
            return std::move(*value);
        }
    }

private:
    void run_repeatedly(const std::function<void(pqxx::connection&)>& work,
                        std::optional<base::SteadyTime> until);
    void run_in_transactions(const std::function<void(pqxx::work&)>& work,
                             std::optional<base::SteadyTime> until);
    pqxx::connection& connection();
    void disconnect();
    // A statement may take `doublings` times twice the usual time.
    void limit_statements(pqxx::connection& connection, unsigned doublings);
    // Returns the SQLSTATE when the work may be tried again.
    std::string recover(const std::exception_ptr& error, unsigned failures);
    void throw_what_ends_it(const Fault& fault) const;
    // Throws where the patience is over.
    void note_down(const Fault& fault);
    std::string state_of_schema();
    void note_usable();
    void wait_before_retry(bool outage, unsigned failures);

    SessionContext& context_;
    WaitedFor waited_for_;
    std::unique_ptr<pqxx::connection> connection_;
    unsigned doublings_ = 0;
    bool was_connected_ = false;
    bool down_ = false;
    base::SteadyTime down_since_{};
};

}  // namespace receiptd::storage
