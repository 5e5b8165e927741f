#include "storage/session.hpp"

#include "base/chance.hpp"
#include "base/log.hpp"
#include "metrics/registry.hpp"
#include "storage/schema_state.hpp"

namespace receiptd::storage {
namespace {

using namespace std::chrono_literals;

constexpr base::BackoffPolicy kReconnect{200ms, 10s, 2.0, 0.5};
constexpr base::BackoffPolicy kRepeat{20ms, 2s, 2.0, 0.5};
constexpr const char* kCancelled = "57014";
// A transaction that waits for another one's lock lets go of its own then, and is begun again.
constexpr std::chrono::milliseconds kLockOfDaemon = 8s;
constexpr std::chrono::milliseconds kLockOfPeople = 1s;
constexpr unsigned kTellFrom = 3;       // failures in a row
constexpr unsigned kMostDoublings = 6;  // of the time that a statement may take

base::SteadyTime steady_now() { return std::chrono::steady_clock::now(); }

double seconds_passed(base::SteadyTime since) {
    return std::chrono::duration<double>(steady_now() - since).count();
}

}  // namespace

std::string OutageLog::trying_again() const {
    if (!patience_ || *patience_ == kUntilItIsThere) return "trying again until it is usable";
    const auto seconds = std::chrono::floor<std::chrono::seconds>(*patience_).count();
    return "trying again for " + std::to_string(seconds) + " s";
}

void OutageLog::down(const Fault& fault, bool is_new) {
    const std::lock_guard lock(mutex_);
    const bool is_first = is_new && sessions_down_++ == 0;
    if (is_first) since_ = steady_now();
    if (is_of_the_connection(fault)) {
        why_no_work_.clear();
        if (is_first)
            log::warn("database not usable; " + trying_again(),
                      {{"database", where_}, {"reason", fault.text}});
        return;
    }
    why_no_work_ = fault.text;
    no_work_.Set(1);
    if (told_.insert(fault.sqlstate).second)
        log::warn("the database answers and refuses work; " + trying_again(),
                  {{"database", where_}, {"sqlstate", fault.sqlstate}, {"reason", fault.text}});
}

void OutageLog::back() {
    const std::lock_guard lock(mutex_);
    if (--sessions_down_ > 0) return;
    why_no_work_.clear();
    told_.clear();
    no_work_.Set(0);
    log::info("database is usable again", {{"database", where_}, {"after_seconds", seconds_passed(since_)}});
}

std::string OutageLog::why_no_work() const {
    const std::lock_guard lock(mutex_);
    return why_no_work_;
}

std::optional<base::SteadyTime> SessionContext::patience_ends(WaitedFor waited_for) const {
    if (waited_for == WaitedFor::by_daemon) return std::nullopt;
    return steady_now() + question_timeout;
}

pqxx::connection& Session::connection() {
    if (connection_) return *connection_;
    auto fresh = shim::connect(context_.database.conninfo().reveal());
    {
        pqxx::nontransaction settings(*fresh);
        // A process that is frozen in the middle of a transaction holds its locks no longer than that.
        settings.exec(
            "SET idle_in_transaction_session_timeout = '10s'; SET timezone = 'UTC'; SET datestyle = 'ISO'; "
            "SET jit = off; SET synchronous_commit = 'on'; SET lock_timeout = " +
            std::to_string((waited_for_ == WaitedFor::by_people ? kLockOfPeople : kLockOfDaemon).count()));
    }
    limit_statements(*fresh, 0);
    connection_ = std::move(fresh);
    context_.series.connected.Increment();
    if (was_connected_) {
        context_.series.reconnects.Increment();
        ++context_.reconnects;
    }
    was_connected_ = true;
    return *connection_;
}

void Session::limit_statements(pqxx::connection& connection, unsigned doublings) {
    const auto timeout =
        waited_for_ == WaitedFor::by_people ? context_.question_timeout : context_.statement_timeout;
    pqxx::nontransaction(connection)
        .exec("SET statement_timeout = " + std::to_string(timeout.count() << doublings));
    doublings_ = doublings;
}

void Session::disconnect() {
    if (!connection_) return;
    connection_.reset();
    context_.series.connected.Decrement();
}

void Session::run_repeatedly(const std::function<void(pqxx::connection&)>& work,
                             std::optional<base::SteadyTime> until) {
    unsigned cancelled = 0;  // statements that took too long: they get more time
    for (unsigned failures = 1;; ++failures) {
        if (context_.stop.requested()) throw StorageStopped();
        if (until && steady_now() >= *until) throw StorageTimeout("the database did not answer in time");
        try {
            auto& usable = connection();
            if (const auto wanted = std::min(cancelled, kMostDoublings); wanted != doublings_)
                limit_statements(usable, wanted);
            work(usable);
            note_usable();
            return;
        } catch (const StorageError&) {
            throw;
        } catch (const StorageStopped&) {
            throw;
        } catch (...) {
            if (recover(std::current_exception(), failures) == kCancelled) ++cancelled;
        }
    }
}

void Session::run_in_transactions(const std::function<void(pqxx::work&)>& work,
                                  std::optional<base::SteadyTime> until) {
    const auto once = [&work](pqxx::connection& connection) {
        pqxx::work tx(connection);
        work(tx);
        tx.commit();
    };
    run_repeatedly(once, until);
}

std::string Session::recover(const std::exception_ptr& error, unsigned failures) {
    const bool connected = connection_ != nullptr;
    const bool open = connected && connection_->is_open();
    auto fault = classify(error, open, context_.database);
    // The error text of a dead connection helps nobody.
    if (connected && !open && fault.sqlstate.empty())
        fault.text = "the server closed the connection (" + fault.text + ")";
    if (open && is_of_the_schema(fault)) fault.text += "; " + state_of_schema();
    const bool down =
        fault.kind == FaultKind::outage || fault.kind == FaultKind::setup || fault.kind == FaultKind::unknown;
    if (!open || down) disconnect();
    if (fault.kind == FaultKind::refused) note_usable();
    throw_what_ends_it(fault);
    if (down)
        note_down(fault);
    else
        log::write(failures < kTellFrom ? log::Level::debug : log::Level::warn,
                   "database transaction is repeated",
                   {{"sqlstate", fault.sqlstate}, {"reason", fault.text}, {"times", failures}});
    wait_before_retry(down, failures);
    return fault.sqlstate;
}

// What the database's records say of a schema that a statement of ours does not fit.
std::string Session::state_of_schema() {
    try {
        pqxx::work tx(*connection_);
        const auto refusal = status_of(tx, {}).refusal();
        return refusal.empty()
                   ? "by its records the schema is this program's, so somebody has changed or dropped what "
                     "receiptd made: make that again as it was"
                   : refusal;
    } catch (const std::exception& e) {
        return std::string("its records cannot be read: ") + e.what();
    }
}

// People, and commands that people wait for, are told of a wrong setup; a daemon waits until it is right.
void Session::throw_what_ends_it(const Fault& fault) const {
    const bool for_people = waited_for_ == WaitedFor::by_people;
    const bool ends = fault.kind == FaultKind::permanent ||
                      (fault.kind == FaultKind::setup && (for_people || context_.patience)) ||
                      (fault.kind == FaultKind::unknown && for_people);
    if (fault.kind == FaultKind::refused) throw StorageRefused("database: " + fault.text);
    if (ends) throw StorageError("database: " + fault.text);
    if (for_people && fault.sqlstate == kCancelled)
        throw StorageTimeout("the database took too long over it: ask for less");
    if (for_people && fault.sqlstate == kNoLockInTime)
        throw StorageTimeout("another session of the database holds what this needs: /readyz tells which");
}

void Session::note_down(const Fault& fault) {
    const auto now = steady_now();
    if (!down_) down_since_ = now;
    if (context_.patience && now - down_since_ >= *context_.patience)
        throw StorageError("database " + context_.database.where() + " cannot be used: " + fault.text);
    const bool was_down = std::exchange(down_, true);
    // One that gives up would not see the end of it.
    if (waited_for_ == WaitedFor::by_people) return;
    context_.outages.down(fault, !was_down);
}

void Session::note_usable() {
    if (std::exchange(down_, false) && waited_for_ == WaitedFor::by_daemon) context_.outages.back();
}

void Session::wait_before_retry(bool outage, unsigned failures) {
    const double chance = base::chance();
    if (context_.stop.wait_for(base::backoff_delay(outage ? kReconnect : kRepeat, failures, chance)))
        throw StorageStopped();
}

}  // namespace receiptd::storage
