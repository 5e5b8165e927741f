#include "storage/pg_block_store.hpp"

#include "metrics/registry.hpp"
#include "storage/account_coverage.hpp"
#include "storage/awaited_data.hpp"
#include "storage/block_removal.hpp"
#include "storage/block_times.hpp"
#include "storage/copy.hpp"
#include "storage/executions.hpp"
#include "storage/late_trees.hpp"
#include "storage/pg_lease_store.hpp"
#include "storage/pg_orphan_store.hpp"
#include "storage/pg_unplaced_store.hpp"
#include "storage/refused_rows.hpp"
#include "storage/settle.hpp"
#include "storage/skip_heights.hpp"
#include "storage/sql_time.hpp"
#include "storage/tell_batch.hpp"
#include "storage/wanted_watches.hpp"

#include <chrono>
#include <cstdint>
#include <set>
#include <utility>
#include <variant>

namespace receiptd::storage {
namespace {

constexpr unsigned kMostAttempts = 5;

bool overlaps_coverage(pqxx::transaction_base& tx, const std::string& heights) {
    const auto found = shim::query(tx, "SELECT heights && $1::int8multirange FROM coverage", heights);
    if (found.empty())
        throw StorageError("the table coverage has no row: this database was never opened by `receiptd run`");
    return found[0][0].as<bool>();
}

bool add_to_coverage(pqxx::transaction_base& tx, const std::string& heights,
                     const chain::CommitFacts& facts) {
    const auto updated =
        shim::query(tx,
                    "UPDATE coverage SET heights = heights + $1::int8multirange, "
                    "wanted = wanted + $1::int8multirange + $2::int8multirange, "
                    "without_outcomes = CASE WHEN $3 THEN without_outcomes - $1::int8multirange "
                    "  ELSE without_outcomes + $1::int8multirange END, updated_at = now() "
                    "WHERE NOT heights && $1::int8multirange RETURNING scope_serial",
                    heights, facts.wanted.to_multirange(), facts.tell_outcomes);
    if (!updated.empty() && updated[0][0].as<std::int64_t>() > facts.scope_serial)
        lack_later_accounts(tx, facts.covered, facts.scope_serial);
    return !updated.empty();
}

Told write_rows(pqxx::transaction_base& tx, const chain::RowBatch& batch, Database& database) {
    copy_rows(tx, batch);
    auto told = tell_batch(tx, database, batch);
    remember_listed(tx, batch.listed);
    remember_left_out(tx, batch.facts.left_out);
    want_watches(tx, batch.watches);
    adopt_awaited(tx, batch);
    shim::query(tx,
                "DELETE FROM unavailable_heights u USING unnest($1::int8multirange) AS done "
                "WHERE u.height >= lower(done) AND u.height < upper(done)",
                batch.facts.covered.to_multirange());
    return told;
}

// Rows of the batch that are stored though its heights are not covered: of transactions that were watched,
// or told by a receipt, before their blocks were followed. The batch brings them again; what it does not
// bring (it is out of scope, say) stays. Under the lock of adoption no fetched tree comes between.
class FoundEarly {
public:
    FoundEarly(pqxx::transaction_base& tx, const chain::RowBatch& batch)
        : tx_(tx), batch_(batch), heights_(batch.facts.covered.to_multirange()) {
        lock_adoption(tx_);
    }

    void forget() {
        const auto transactions = ids_of_rows(batch_, chain::Table::transactions);
        remove("pending_trees", "tx_hash", transactions);
        remove("transactions", "tx_hash", transactions);
        forget_receipts();
        // Results that were judged elsewhere stay true, and stay: the tree may not be whole again before its
        // orphans are adopted.
        const auto judged = ids_of_rows(batch_, chain::Table::transaction_results);
        trees_.insert(judged.begin(), judged.end());
        const auto findings = "findings WHERE " + kTreeFindings + " AND ";
        forget_decided(tx_, batch_, "transaction_results WHERE tree_id = tx_hash AND tx_hash", judged);
        forget_decided(tx_, batch_, findings + "tree_id", judged);
        forget_decided(tx_, batch_, findings + "finding_id", ids_of_rows(batch_, chain::Table::findings));
    }

    // When the rows of the batch are there: what is known of their trees from elsewhere. What the rows decide
    // (that a yield timed out, say, as they have its resume) is news like that of the batch.
    Told complete(Database& database) {
        if (trees_.empty()) return {};
        shim::query(tx_,
                    "UPDATE receipts r SET parent_receipt_id = nullif(parent, ''), "
                    "  role = coalesce(r.role, nullif(known_role, '')) "
                    "FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS known (id, tree, parent, "
                    "known_role) "
                    "WHERE r.tree_id = tree AND r.receipt_id = id AND r.parent_receipt_id IS NULL AND " +
                        around_blocks(5, std::chrono::seconds(1)),
                    text_array(ids_), text_array(of_trees_), text_array(parents_), text_array(roles_),
                    first(), last());
        auto settled = settle_again(tx_, {trees_.begin(), trees_.end()}, first());
        settled.withhold_before({batch_.happened.since, chain::withheld::kTooOld, batch_.alerts_sent_since});
        return tell_batch(tx_, database, settled);
    }

private:
    std::uint64_t first() const { return batch_.facts.blocks.front().timestamp_nanosec; }
    std::uint64_t last() const { return batch_.facts.blocks.back().timestamp_nanosec; }

    pqxx::result remove(const std::string& table, const std::string& column,
                        const std::vector<std::string>& ids, const std::string& returning = "") {
        return shim::query(tx_,
                           "DELETE FROM " + table + " WHERE " + column +
                               " = ANY ($1::text[]) AND block_height <@ $2::int8multirange AND " +
                               around_blocks(3, std::chrono::seconds(1)) + returning,
                           text_array(ids), heights_, first(), last());
    }

    void forget_receipts() {
        const auto ids = ids_of_rows(batch_, chain::Table::receipts);
        remove("events", "receipt_id", ids);
        const auto rows =
            remove("receipts", "receipt_id", ids,
                   "RETURNING receipt_id, split_part(tree_id, '@', 1), coalesce(parent_receipt_id, ''), "
                   "coalesce(role, '')");
        for (const auto& row : rows) {
            ids_.push_back(row[0].as<std::string>());
            of_trees_.push_back(row[1].as<std::string>());
            parents_.push_back(row[2].as<std::string>());
            roles_.push_back(row[3].as<std::string>());
            trees_.insert(of_trees_.back());
        }
    }

    pqxx::transaction_base& tx_;
    const chain::RowBatch& batch_;
    std::string heights_;
    std::set<std::string> trees_;
    std::vector<std::string> ids_, of_trees_, parents_, roles_;  // of the receipts that were removed
};

Told write_over_found_early(pqxx::transaction_base& tx, const chain::RowBatch& batch, Database& database) {
    FoundEarly found(tx, batch);
    found.forget();
    auto told = write_rows(tx, batch, database);
    told += found.complete(database);
    return told;
}

// Coverage is last: its one row is locked by one writer at a time, until the commit. Should another daemon
// commit these heights meanwhile, it says so, and nothing of this is to be committed.
void remember_seam(pqxx::transaction_base& tx, const chain::Seam& seam) {
    shim::query(tx,
                "INSERT INTO pending_seams AS known (from_height, to_height, history) VALUES ($1, $2, $3) "
                "ON CONFLICT (from_height) DO UPDATE "
                "SET to_height = greatest(known.to_height, excluded.to_height), touched_at = now()",
                seam.from, seam.to, seam.history);
}

// Why nothing of a batch is committed, but written again.
enum class Again : std::uint8_t {
    without_judgements,  // trees are judged that have lost a block
    under_adoption,      // a hash was executed again, so rows get other names
};
using Written = std::variant<CommitOutcome, Again>;

// Executions of one hash get their names where the lock of adoption is held.
enum class Naming : std::uint8_t { none, of_batch, of_all };

std::vector<std::string> to_name(pqxx::transaction_base& tx, const chain::RowBatch& batch, Naming naming) {
    return naming == Naming::of_all ? executed_again_before(tx, batch) : executed_again_in(tx, batch);
}

template <class Write>
Written write_and_cover(pqxx::transaction_base& tx, const chain::RowBatch& batch, Naming naming,
                        const Write& write) {
    const auto heights = batch.facts.covered.to_multirange();
    if (overlaps_coverage(tx, heights)) return CommitOutcome::already_covered;
    if (naming != Naming::none) gather_executions(tx, to_name(tx, batch, naming));
    place_awaiting(tx, batch);
    write();
    if (batch.facts.epoch && !leads(tx, *batch.facts.epoch)) return CommitOutcome::not_leader;
    if (!add_to_coverage(tx, heights, batch.facts)) return CommitOutcome::already_covered;
    if (judges_trees_of_removed_blocks(tx, batch)) return Again::without_judgements;
    find_executions(tx, batch);
    const auto again = to_name(tx, batch, naming);
    if (!again.empty() && naming == Naming::none) return Again::under_adoption;
    name_executions(tx, again);
    if (batch.facts.seam) remember_seam(tx, *batch.facts.seam);
    if (!batch.facts.blocks.empty())
        remember_late(tx, batch.facts.late_trees,
                      {batch.facts.blocks.front().timestamp_nanosec, batch.facts.seen.history});
    return CommitOutcome::committed;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool covered_meanwhile(pqxx::connection& connection, const chain::RowBatch& batch) {
    pqxx::work tx(connection);
    return overlaps_coverage(tx, batch.facts.covered.to_multirange());
}

// A commit in doubt (connection lost while committing) is simply run again: if it had succeeded, the
// coverage says so, or the rows collide with it first.
CommitOutcome commit_batch(pqxx::connection& connection, chain::RowBatch& batch, Database& database) {
    const auto days = days_of_blocks(batch);
    auto* write = write_rows;
    auto naming = Naming::none;
    for (unsigned attempt = 1;; ++attempt) {
        try {
            const auto written = database.partitions.with_days(connection, days, DayLeave::free, [&] {
                pqxx::work tx(connection);
                Told told;
                if (naming != Naming::none) lock_adoption(tx);
                auto done = write_and_cover(tx, batch, naming, [&] { told = write(tx, batch, database); });
                if (done != Written(CommitOutcome::committed)) return done;
                const auto day = only_day_of(batch.facts.blocks);
                if (!day || day != database.marked_day) mark_days(tx, batch.facts.blocks);
                tx.commit();
                database.marked_day = day.value_or(Database::kNoDay);
                database.announce(told);
                return done;
            });
            if (const auto* outcome = std::get_if<CommitOutcome>(&written)) return *outcome;
            if (std::get<Again>(written) == Again::under_adoption)
                naming = Naming::of_batch;
            else
                leave_judgements(batch);
        } catch (const pqxx::unique_violation&) {
            if (covered_meanwhile(connection, batch)) return CommitOutcome::already_covered;
            // More may be found while it is written.
            if (attempt == kMostAttempts || batch.facts.blocks.empty()) throw;
            write = write_over_found_early;
            naming = Naming::of_all;
        }
    }
}

CommitOutcome commit_without_refused(pqxx::connection& connection, chain::RowBatch batch,
                                     Database& database) {
    const auto refused = database.partitions.with_days(connection, days_of_blocks(batch), DayLeave::free,
                                                       [&] { return take_out_refused(connection, batch); });
    const auto outcome = commit_batch(connection, batch, database);
    if (outcome == CommitOutcome::committed)
        for (const auto& row : refused) database.set_aside.put(Aside::row, row.id, row.reason);
    return outcome;
}

void add_wanted(pqxx::transaction_base& tx, base::HeightRange range) {
    shim::query(tx,
                "UPDATE coverage SET wanted = wanted + $1::int8multirange, updated_at = now() "
                "WHERE NOT wanted @> $1::int8multirange",
                base::HeightSet(range).to_multirange());
}

}  // namespace

base::Task<CommitOutcome> PgBlockStore::commit(chain::RowBatch batch) {
    return database_.pool.writers.run([&database = database_,
                                       batch = std::move(batch)](pqxx::connection& connection) mutable {
        const auto start = std::chrono::steady_clock::now();
        const auto outcome = batch.facts.refused_before ? commit_without_refused(connection, batch, database)
                                                        : commit_batch(connection, batch, database);
        if (outcome == CommitOutcome::committed)
            database.note_committed(batch, seconds_since(start));
        else if (outcome == CommitOutcome::already_covered) {
            database.series.already_covered.Increment();
            pqxx::work tx(connection);
            want_watches(tx, batch.watches);  // the other daemon may have other rules
            tx.commit();
        }
        return outcome;
    });
}

base::Task<Coverage> PgBlockStore::load_coverage() {
    return database_.pool.following.transaction([](pqxx::work& tx) -> Coverage {
        const auto rows = tx.exec(
            "SELECT wanted, heights, without_outcomes, (extract(epoch FROM created_at) * 1000000)::bigint, "
            "followed_since, one_host_since, coalesce((SELECT range_agg(one) FROM operator_skips s, "
            "unnest(s.heights) AS one) - wanted, '{}') "
            "FROM coverage, chain_identity");
        if (rows.empty()) return {};
        const auto row = rows[0];
        return {heights_of(row[0]),
                heights_of(row[1]),
                heights_of(row[2]),
                wall_time(row[3]),
                shim::optional_of<base::Height>(row[4]),
                heights_of(row[6]),
                shim::optional_of<base::Height>(row[5])};
    });
}

base::Task<void> PgBlockStore::want(base::HeightRange range) {
    return database_.pool.following.transaction([range](pqxx::work& tx) { add_wanted(tx, range); });
}

base::Task<void> PgBlockStore::follow_since(base::Height height) {
    return database_.pool.following.transaction(
        [height](pqxx::work& tx) { shim::query(tx, "UPDATE coverage SET followed_since = $1", height); });
}

base::Task<void> PgBlockStore::set_one_host_since(std::optional<base::Height> height) {
    return database_.pool.following.transaction(
        [height](pqxx::work& tx) { shim::query(tx, "UPDATE coverage SET one_host_since = $1", height); });
}

base::Task<base::HeightSet> PgBlockStore::skip(base::HeightRange range) {
    return database_.pool.following.transaction([range](pqxx::work& tx) { return skip_heights(tx, range); });
}

// The next attempt comes after 30 s, doubling up to an hour; the follower may wait longer.
base::Task<void> PgBlockStore::record_unavailable(UnavailableHeight height) {
    return database_.pool.following.transaction([height = std::move(height)](pqxx::work& tx) {
        if (is_skipped(tx, height.height)) return;  // while it was fetched
        shim::query(
            tx,
            "INSERT INTO unavailable_heights AS u (height, reason, detail, attempts, next_attempt_at) "
            "VALUES ($1, $2, $3, $4, now() + least(30 * 2 ^ least($4::int, 7), 3600) * interval '1 second') "
            "ON CONFLICT (height) DO UPDATE SET reason = excluded.reason, detail = excluded.detail, "
            "attempts = greatest(u.attempts, excluded.attempts), last_attempt_at = now(), "
            "next_attempt_at = excluded.next_attempt_at",
            height.height, height.reason, height.detail, height.attempts);
        add_wanted(tx, {height.height, height.height});
    });
}

base::Task<base::HeightSet> PgBlockStore::remove_block(base::Height height) {
    return database_.pool.following.run([&database = database_, height](pqxx::connection& connection) {
        pqxx::work tx(connection);
        auto removed = storage::remove_block(tx, height);
        tx.commit();
        if (removed.is_told) database.on_alerts();
        return std::move(removed.missing);
    });
}

}  // namespace receiptd::storage
