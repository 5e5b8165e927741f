#include "storage/inspect.hpp"

#include "metrics/registry.hpp"
#include "storage/rejudge.hpp"
#include "storage/session.hpp"

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

StoredSummary summary(pqxx::connection& connection) {
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
    for (const auto& row :
         shim::query(tx, "SELECT from_height, to_height, reason, detail FROM gaps LIMIT 20"))
        found.gaps.push_back({row[0].as<std::uint64_t>(), row[1].as<std::uint64_t>(),
                              row[2].as<std::string>(), text_field(row[3])});
    const auto backfills = shim::query(
        tx,
        "SELECT from_height, to_height, (SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM unnest("
        "int8multirange(int8range(from_height, to_height, '[]')) - (SELECT range_agg(one) FROM coverage, "
        "unnest(heights) one)) r), lease_until > now() FROM backfills WHERE state = 'unfinished' ORDER BY "
        "id");
    for (const auto& row : backfills)
        found.unfinished_backfills.push_back({row[0].as<std::uint64_t>(), row[1].as<std::uint64_t>(),
                                              row[2].is_null() ? 0 : row[2].as<std::uint64_t>(),
                                              !row[3].is_null() && row[3].as<bool>()});
    const auto sizes =
        shim::query(tx,
                    "SELECT (SELECT count(*) FROM pending_trees), (SELECT count(*) FROM partitions), "
                    "pg_database_size(current_database()), (SELECT max(block_time)::text FROM blocks)");
    found.accounts = followed_accounts(tx);
    found.daemons = living_daemons(tx);
    found.judged_before = stored_heights(tx).judged_before;
    found.pending_trees = sizes[0][0].as<std::uint64_t>();
    found.partitions = sizes[0][1].as<std::uint64_t>();
    found.database_bytes = sizes[0][2].as<std::uint64_t>();
    found.last_block_time = text_field(sizes[0][3]);
    return found;
}

}  // namespace

StoredSummary stored_summary(const DatabaseOptions& database) { return ask(database, summary); }

}  // namespace receiptd::storage
