// One database as one process has it: its connections, and what all stores on it share.
#pragma once

#include "base/clock.hpp"
#include "base/task.hpp"
#include "chain/rows/rows.hpp"
#include "metrics/storage_series.hpp"
#include "storage/daemons.hpp"
#include "storage/day_closer.hpp"
#include "storage/in_the_way.hpp"
#include "storage/lock_room.hpp"
#include "storage/partitions.hpp"
#include "storage/pool.hpp"
#include "storage/rule_book.hpp"
#include "storage/session.hpp"
#include "storage/set_aside.hpp"
#include "storage/told.hpp"
#include "storage/trace_choice.hpp"
#include "storage/unfinished.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

struct ChainIdentity {
    std::string network;
    std::string scope;
};

class Database {
    SessionContext context_;

public:
    // Connects on first use. `on_alerts` is called on a database thread after a commit that made alerts.
    Database(
        const DatabaseOptions& options, metrics::StorageSeries& series,
        std::function<void()> on_alerts = [] {});
    // Stops and waits for the database threads; nothing may await a store on it any more.
    ~Database() { request_stop(); }

    // Ends waiting for a database that is not there: everything pending and all that comes later throws
    // StorageStopped once its current statement is done.
    void request_stop() { context_.stop.request(); }
    const StopSignal& stop_signal() const { return context_.stop; }

    // First call of a daemon. Refuses a schema that is not this program's and a database that holds another
    // chain; writes the identity on first use. Throws StorageError saying what to do.
    base::Task<void> check_identity(ChainIdentity configured);
    base::Task<LockRoom> lock_room();
    // Call after it: the other daemons on this database hear of this one. Says of which rules and lists it
    // replaces another's.
    base::Task<std::vector<Contested>> join(DaemonSettings settings);
    // Call every few seconds. Answers when the database does, with the other daemons that live.
    base::Task<Joined> keep_alive();
    // The work of this user's sessions that waits for a session of another user; nullopt: none does.
    base::Task<std::optional<HeldUp>> held_up();
    // The configuration was reloaded; the others hear of it by the next keep_alive().
    void set_keep(Keep keep);
    // The same of rules and lists, which count when it returns.
    base::Task<std::vector<Contested>> declare(Declaration alerts);
    base::Task<void> leave();
    base::Task<FollowedAccounts> followed_accounts();
    // Follows these, too. Returns those that were not followed yet.
    base::Task<std::vector<std::string>> follow_accounts(std::vector<std::string> accounts);
    // The genesis hash of the chain; `told` is kept where none is known. Both may be empty: not known.
    base::Task<std::string> genesis_hash(std::string told);

    // Makes partitions ahead, drops those past retention, does some of what migrations left, and measures
    // them and the disk for the metrics. Age counts from `now` or from the newest block stored, whichever is
    // earlier; of all daemons that lived within a day the longest `keep` holds. False: somebody stands in the
    // way of something; call again in a minute.
    base::Task<bool> keep_partitions(base::WallTime now, Keep keep);
    // Does that, and deletes old rows of the other tables. Call at start and every hour.
    base::Task<bool> maintain(base::WallTime now, Keep keep);
    // How often a connection was made in place of a lost one.
    std::uint64_t reconnects() const { return context_.reconnects; }
    // Why it cannot be written though it answers (rights, schema); empty: nothing is known against it.
    std::string why_no_work() const { return context_.outages.why_no_work(); }

    void note_committed(const chain::RowBatch& batch, double seconds);
    // Call after the commit of the transaction that made these alerts.
    void announce(const Told& told);
    // The name of this process in leases: a uuid.
    const std::string& process() const { return process_; }

    metrics::StorageSeries& series;
    std::function<void()> on_alerts;
    PartitionKeeper partitions;
    DayCloser day_closer;
    Finisher finisher;
    RuleBook rules;
    TraceChoice traces;
    SetAside set_aside;
    Pool pool;

    static constexpr std::int64_t kNoDay = -1;
    std::atomic<std::int64_t> marked_day =
        kNoDay;  // since 1970: of the last commit; block_marks has a block of it

private:
    Past past_retention(pqxx::connection& connection, base::WallTime now, Keep keep);
    bool keep_partitions_of(pqxx::connection& connection, const Past& past);

    std::string process_;
    DaemonSettings settings_;
};

}  // namespace receiptd::storage
