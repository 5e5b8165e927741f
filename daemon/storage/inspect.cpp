#include "storage/inspect.hpp"
#include "storage/block_times.hpp"

#include "metrics/registry.hpp"
#include "storage/block_times.hpp"
#include "storage/migrate.hpp"
#include "storage/pg_reindex_store.hpp"
#include "storage/rejudge.hpp"
#include "storage/session.hpp"

#include <sstream>
#include <utility>

namespace receiptd::storage {
namespace {

// A session of its own for one question; it gives up soon when the database is not there.
template <class Work>
auto ask(DatabaseOptions options, Work work) {
    if (!options.patience) options.patience = std::chrono::milliseconds(0);
    metrics::Registry registry;
    metrics::StorageSeries series(registry);
    SessionContext context(options, series);
    Session session(context);
    return session.run(std::move(work));
}

std::string text_field(const pqxx::field& field) {
    return shim::optional_of<std::string>(field).value_or("");
}

std::vector<std::string> listed_names(const std::string& list) {
    std::vector<std::string> names;
    std::istringstream text(list);
    for (std::string name; std::getline(text, name, ',');) names.push_back(name);
    return names;
}

std::vector<StoredSummary::Backfill> unfinished_backfills(pqxx::transaction_base& tx) {
    std::vector<StoredSummary::Backfill> found;
    const auto backfills = shim::query(
        tx,
        "SELECT from_height, to_height, (SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM unnest("
        "int8multirange(int8range(from_height, to_height, '[]')) - (SELECT range_agg(one) FROM coverage, "
        "unnest(heights) one)) r), lease_until > now(), (SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM "
        "coverage, unnest(heights * int8multirange(int8range(from_height, to_height, '[]')) * "
        "coalesce((SELECT "
        "range_agg(one) FROM followed_accounts f, unnest(f.not_whole) AS one WHERE f.account_id = ANY "
        "(accounts)), '{}')) r), array_to_string(accounts, ','), (SELECT sum(upper(r) - lower(r)) FROM "
        "unnest(to_replace) r), to_replace IS NOT NULL FROM backfills WHERE state = 'unfinished' "
        "ORDER BY id");
    for (const auto& row : backfills) {
        StoredSummary::Backfill backfill;
        backfill.from_height = row[0].as<std::uint64_t>();
        backfill.to_height = row[1].as<std::uint64_t>();
        backfill.accounts = listed_names(row[5].as<std::string>());
        backfill.replaces = row[7].as<bool>();
        const auto& missing = row[backfill.replaces ? 6 : backfill.accounts.empty() ? 2 : 4];
        backfill.missing = missing.is_null() ? 0 : missing.as<std::uint64_t>();
        backfill.leased = !row[3].is_null() && row[3].as<bool>();
        found.push_back(std::move(backfill));
    }
    return found;
}

StoredSummary summary(pqxx::connection& connection) {
    require_current_schema(connection);
    pqxx::work tx(connection);
    StoredSummary found;
    const auto identity = shim::query(tx, "SELECT network, scope FROM chain_identity");
    if (!identity.empty()) {
        found.network = identity[0][0].as<std::string>();
        found.scope = identity[0][1].as<std::string>();
    }
    const auto extent = shim::query(
        tx,
        "SELECT lower(range_merge(heights)), upper(range_merge(heights)) - 1, "
        "(SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM unnest(heights) r), "
        "(SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM unnest(wanted - heights) r) FROM coverage");
    for (const auto& row : extent) {
        found.first_height = shim::optional_of<std::uint64_t>(row[0]);
        found.last_height = shim::optional_of<std::uint64_t>(row[1]);
        found.covered_heights += row[2].as<std::uint64_t>();
        found.gap_heights += row[3].as<std::uint64_t>();
    }
    for (const auto& row : shim::query(tx,
                                       "SELECT from_height, to_height, reason, detail FROM gaps "
                                       "WHERE reason <> 'skipped by operator' LIMIT 20"))
        found.gaps.push_back({row[0].as<std::uint64_t>(), row[1].as<std::uint64_t>(),
                              row[2].as<std::string>(), text_field(row[3])});
    for (const auto& row :
         shim::query(tx, "SELECT from_height, to_height FROM gaps WHERE reason = 'skipped by operator'"))
        found.skipped_by_operator.add({row[0].as<base::Height>(), row[1].as<base::Height>()});
    found.unfinished_backfills = unfinished_backfills(tx);
    const auto newest = times_of_newest_blocks(tx, 1000).value_or(TimeSpan());
    const auto sizes = shim::query(
        tx,
        "SELECT (SELECT count(*) FROM pending_trees), (SELECT count(*) FROM partitions), "
        "pg_database_size(current_database()), newest_block_time()::text, "
        "(SELECT coalesce(avg(chunks_included), 0)::float8 FROM (SELECT chunks_included FROM blocks WHERE " +
            between("block_time", 1) + " ORDER BY block_height DESC LIMIT 1000) newest)",
        newest.since, newest.until);
    found.accounts = followed_accounts(tx).accounts;
    const auto stored = stored_heights(tx);
    for (auto& account : found.accounts) account.not_whole = stored.all.within(account.not_whole);
    found.daemons = living_daemons(tx);
    found.judged_before = stored.judged_before;
    found.pending_trees = sizes[0][0].as<std::uint64_t>();
    found.partitions = sizes[0][1].as<std::uint64_t>();
    found.database_bytes = sizes[0][2].as<std::uint64_t>();
    found.last_block_time = text_field(sizes[0][3]);
    found.chunks_a_block = sizes[0][4].as<double>();
    return found;
}

DatabaseFacts facts(pqxx::connection& connection) {
    DatabaseFacts found;
    {
        pqxx::work tx(connection);
        const auto row = shim::query(
            tx,
            "SELECT current_setting('server_version'), current_setting('server_version_num')::int, "
            "current_user, "
            "coalesce(has_schema_privilege(current_schema(), 'CREATE'), false), pg_is_in_recovery(), "
            "greatest(current_setting('max_connections')::int - "
            "current_setting('superuser_reserved_connections')::int - "
            "(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'), 0), "
            "to_regclass('chain_identity') IS NOT NULL")[0];
        found.server_version = row[0].as<std::string>();
        found.server_number = row[1].as<unsigned>();
        found.user = row[2].as<std::string>();
        found.may_create = row[3].as<bool>();
        found.is_replica = row[4].as<bool>();
        found.free_connections = row[5].as<unsigned>();
        found.locks = lock_room(tx);
        if (row[6].as<bool>()) {
            const auto identity = shim::query(tx, "SELECT network, scope FROM chain_identity");
            if (!identity.empty()) {
                found.network = identity[0][0].as<std::string>();
                found.scope = identity[0][1].as<std::string>();
            }
        }
    }
    pqxx::work tx(connection);
    auto status = status_of(tx, {});
    found.pending_migrations = std::move(status.pending);
    found.schema_problem = std::move(status.problem);
    return found;
}

}  // namespace

DatabaseFacts database_facts(const DatabaseOptions& database) {
    auto found = ask(database, facts);
    found.where = ConnectionString(database.url).where();
    return found;
}

StoredSummary stored_summary(const DatabaseOptions& database) { return ask(database, summary); }

base::HeightSet replaceable_heights(const DatabaseOptions& database, base::HeightRange range) {
    return ask(database, [range](pqxx::connection& connection) {
        pqxx::work tx(connection);
        return replaceable_heights(tx, range);
    });
}

}  // namespace receiptd::storage
