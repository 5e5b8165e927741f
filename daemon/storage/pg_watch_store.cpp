#include "storage/pg_watch_store.hpp"

#include "metrics/watch_series.hpp"
#include "storage/stored_trees.hpp"
#include "storage/watch_sql.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::storage {

namespace {

using Connection = pqxx::connection;

bool may_alert(const WatchUpdate& update) {
    const auto is_bad_end = [](const chain::Transition& step) {
        return chain::is_end(step.to) && step.to != chain::Stage::final;
    };
    return update.alert && (update.stuck == true ||
                            std::any_of(update.transitions.begin(), update.transitions.end(), is_bad_end));
}

void count(metrics::WatchSeries& series, const sql::WatchesUpdated& updated) {
    for (const auto stage : updated.stages) series.count_stage(std::string(chain::stage_name(stage)));
    for (const auto& [kind, error_class] : updated.findings) series.count_finding(kind, error_class, 1);
}

}  // namespace

PgWatchStore::PgWatchStore(PgStore& store, const base::Clock& clock, WaitedFor waited_for)
    : context_(store.sessions()),
      partitions_(store.partitions()),
      clock_(clock),
      writing_(context_, waited_for),
      questions_(context_, waited_for),
      lists_(context_, WaitedFor::by_people),
      many_trees_(context_, waited_for),
      waiting_(context_) {}

base::Task<std::vector<std::string>> PgWatchStore::add_watches(std::vector<NewWatch> watches) {
    return writing_.run([watches = std::move(watches)](Connection& connection) {
        sql::require_storable(watches);
        return sql::add_watches(connection, watches);
    });
}

base::Task<bool> PgWatchStore::remove_watch(std::string tx_hash) {
    return writing_.run([tx_hash = std::move(tx_hash)](Connection& connection) {
        return sql::remove_watch(connection, tx_hash);
    });
}

base::Task<bool> PgWatchStore::replace_ended(NewWatch watch, chain::Stage ended) {
    return writing_.run([watch = std::move(watch), ended](Connection& connection) {
        sql::require_storable({watch});
        return sql::replace_ended(connection, watch, ended);
    });
}

base::Task<std::optional<Watch>> PgWatchStore::watch(std::string tx_hash) {
    return questions_.run([tx_hash = std::move(tx_hash)](Connection& connection) -> std::optional<Watch> {
        auto found = sql::watches(connection, {tx_hash});
        if (found.empty()) return std::nullopt;
        return std::move(found.front());
    });
}

base::Task<std::vector<Watch>> PgWatchStore::watches(std::vector<std::string> tx_hashes) {
    return questions_.run([tx_hashes = std::move(tx_hashes)](Connection& connection) {
        return sql::watches(connection, tx_hashes);
    });
}

base::Task<std::optional<Watch>> PgWatchStore::watch_by_idempotency_key(std::string key) {
    return questions_.run([key = std::move(key)](Connection& connection) {
        return sql::watch_by_idempotency_key(connection, key);
    });
}

base::Task<std::vector<Watch>> PgWatchStore::list_watches(WatchFilter filter) {
    return lists_.run([filter = std::move(filter)](Connection& connection) {
        return sql::list_watches(connection, filter);
    });
}

base::Task<std::vector<Watch>> PgWatchStore::open_watches(std::string after, unsigned limit) {
    return questions_.run([after = std::move(after), limit](Connection& connection) {
        return sql::open_watches(connection, after, limit);
    });
}

base::Task<std::vector<Watch>> PgWatchStore::lost_watches(std::string after, unsigned limit) {
    return questions_.run([after = std::move(after), limit](Connection& connection) {
        return sql::lost_watches(connection, after, limit);
    });
}

base::Task<std::vector<Watch>> PgWatchStore::new_watches(unsigned limit) {
    return questions_.run([limit](Connection& connection) { return sql::new_watches(connection, limit); });
}

base::Task<bool> PgWatchStore::wait_for_watches(std::chrono::milliseconds timeout) {
    return waiting_.run([this, timeout](Connection& connection) {
        return sql::wait_for_watches(connection, timeout, [this] { return context_.stop.requested(); });
    });
}

base::Task<std::vector<Watch>> PgWatchStore::watches_since(base::WallTime since, std::string after,
                                                           unsigned limit) {
    return questions_.run([since, after = std::move(after), limit](Connection& connection) {
        return sql::watches_since(connection, since, after, limit);
    });
}

base::Task<std::vector<Watch>> PgWatchStore::open_submissions(base::WallTime since, std::string after,
                                                              unsigned limit) {
    return questions_.run([since, after = std::move(after), limit](Connection& connection) {
        return sql::open_submissions(connection, since, after, limit);
    });
}

base::Task<std::vector<std::string>> PgWatchStore::update_watches(std::vector<WatchUpdate> updates) {
    return writing_.run([this, updates = std::move(updates)](Connection& connection) {
        auto updated = sql::update_watches(connection, updates, clock_.wall(), partitions_);
        if (std::any_of(updates.begin(), updates.end(), may_alert)) context_.on_alerts();
        if (context_.watch_series) count(*context_.watch_series, updated);
        return std::move(updated.moved);
    });
}

base::Task<std::vector<StoredTransition>> PgWatchStore::transitions(std::string tx_hash) {
    return questions_.run([tx_hash = std::move(tx_hash)](Connection& connection) {
        return sql::transitions(connection, tx_hash);
    });
}

base::Task<std::map<std::string, StoredTree>> PgWatchStore::stored_trees(std::vector<std::string> tx_hashes) {
    auto& lane =
        tx_hashes.size() > 1 ? many_trees_ : questions_;  // nobody who asks for one waits behind them
    return lane.run([tx_hashes = std::move(tx_hashes)](Connection& connection) {
        return storage::stored_trees(connection, tx_hashes);
    });
}

}  // namespace receiptd::storage
