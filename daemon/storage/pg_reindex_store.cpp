#include "storage/pg_reindex_store.hpp"

#include "storage/awaited_data.hpp"
#include "storage/copy.hpp"
#include "storage/pg_orphan_store.hpp"
#include "storage/place_trees.hpp"
#include "storage/rejudge.hpp"
#include "storage/replace_rows.hpp"
#include "storage/settle.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace receiptd::storage {
namespace {

// One database transaction each: a daemon's adoption of orphans waits for it.
constexpr base::Height kHeightsJudgedAgain = 20;

// The first height of which all tables have their rows, as far as there were some.
base::Height first_kept(pqxx::transaction_base& tx) {
    const auto since = tx.exec(
        "SELECT p.before_time, (SELECT min(m.block_time) FROM block_marks m WHERE m.block_time >= "
        "p.before_time) "
        "FROM (SELECT max(before_time) AS before_time FROM pruned) p WHERE p.before_time IS NOT NULL");
    if (since.empty() || since[0][1].is_null()) return 0;
    const auto first = shim::query(tx,
                                   "SELECT min(block_height) FROM blocks "
                                   "WHERE block_time BETWEEN $1::timestamptz AND $2::timestamptz",
                                   since[0][0].as<std::string>(), since[0][1].as<std::string>())[0][0];
    return first.is_null() ? 0 : first.as<base::Height>();
}

// False: one of the heights is not stored any more. Outcomes are compared with the roots of the chain anew.
bool cover_again(pqxx::transaction_base& tx, const chain::CommitFacts& facts) {
    return shim::query(tx,
                       "UPDATE coverage SET compared = compared - $1::int8multirange, "
                       "unconfirmed = unconfirmed - $1::int8multirange, "
                       "without_outcomes = CASE WHEN $2 THEN without_outcomes - $1::int8multirange "
                       "  ELSE without_outcomes + $1::int8multirange END, updated_at = now() "
                       "WHERE heights @> $1::int8multirange",
                       facts.covered.to_multirange(), facts.tell_outcomes)
               .affected_rows() > 0;
}

bool replace(pqxx::connection& connection, std::int64_t order, chain::RowBatch batch) {
    pqxx::work tx(connection);
    if (!batch.facts.blocks.empty()) {
        lock_adoption(tx);
        const auto from = shim::query(tx, "SELECT from_height FROM backfills WHERE id = $1", order)[0][0];
        replace_rows(tx, batch, from.as<base::Height>());
        if (!cover_again(tx, batch.facts)) return false;
    }
    shim::query(tx, "UPDATE backfills SET to_replace = to_replace - $2::int8multirange WHERE id = $1", order,
                batch.facts.covered.to_multirange());
    tx.commit();
    return true;
}

}  // namespace

base::HeightSet replaceable_heights(pqxx::transaction_base& tx, base::HeightRange range) {
    const auto rows = shim::query(
        tx,
        "SELECT heights * $1::int8multirange * int8multirange(int8range((SELECT block_height FROM "
        "block_above(-1)), NULL)) FROM coverage",
        base::HeightSet(range).to_multirange());
    if (rows.empty()) return {};
    return heights_of(rows[0][0]).within({first_kept(tx), base::kTopHeight});
}

base::Task<base::HeightSet> PgReindexStore::to_replace(std::int64_t order) {
    return database_.pool.following.transaction([order](pqxx::work& tx) {
        const auto rows = shim::query(
            tx, "SELECT b.to_replace * c.heights FROM backfills b, coverage c WHERE b.id = $1", order);
        return rows.empty() ? base::HeightSet() : heights_of(rows[0][0]);
    });
}

base::Task<bool> PgReindexStore::replace_rows(std::int64_t order, chain::RowBatch batch) {
    return database_.pool.writers.run(
        [&database = database_, order, batch = std::move(batch)](pqxx::connection& connection) {
            return database.partitions.with_days(connection, days_of_blocks(batch), DayLeave::free, [&] {
                return judge_beside_others([&] { return replace(connection, order, batch); });
            });
        });
}

base::Task<void> PgReindexStore::fetch_lacking(base::HeightRange included_in) {
    return database_.pool.adopting.transaction([included_in](pqxx::work& tx) {
        lock_adoption(tx);
        adopt_data_of(tx, included_in);
        place_lacking(tx, included_in);
    });
}

base::Task<void> PgReindexStore::judge_again(base::HeightRange included_in) {
    Rejudging judging(database_);
    for (auto from = included_in.from; from <= included_in.to; from += kHeightsJudgedAgain) {
        const base::HeightRange some{from, std::min(included_in.to, from + kHeightsJudgedAgain - 1)};
        co_await judging.rejudge(some, kFetchedAgain);
    }
}

}  // namespace receiptd::storage
