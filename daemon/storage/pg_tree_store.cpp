#include "storage/pg_tree_store.hpp"

#include "chain/rows/copy_binary.hpp"
#include "chain/tree/facts.hpp"
#include "chain/tree/finding.hpp"
#include "chain/tree/judgement.hpp"
#include "storage/awaited_data.hpp"
#include "storage/chunk_places.hpp"
#include "storage/copy.hpp"
#include "storage/corrections.hpp"
#include "storage/executions.hpp"
#include "storage/late_trees.hpp"
#include "storage/pg_orphan_store.hpp"
#include "storage/place_trees.hpp"
#include "storage/settle.hpp"
#include "storage/sql_time.hpp"
#include "storage/tell_batch.hpp"

#include <algorithm>

namespace receiptd::storage {
namespace {

// Times in rows are rounded to microseconds: the transaction's row is looked for within a second.
const std::string kSince = time_of_nanoseconds(2, std::chrono::seconds(-1));
const std::string kAt = time_of_nanoseconds(2);
const std::string kUntil = time_of_nanoseconds(2, std::chrono::seconds(1));
const std::string kWithinAWeek = "BETWEEN " + kSince + " AND " + time_of_nanoseconds(2, std::chrono::days(7));

const std::string kFromThen = "block_time >= " + kSince;
const std::string kAroundTransaction = "block_time BETWEEN " + kSince + " AND " + kUntil;

std::string reason_of(const std::vector<std::string>& missing) {
    constexpr std::size_t kNamed = 3;
    std::string reason = std::string(chain::kReceiptsMissing) + ": no host tells ";
    for (std::size_t i = 0; i < std::min(missing.size(), kNamed); ++i)
        reason += (i == 0 ? "" : ", ") + missing[i];
    if (missing.size() > kNamed) reason += " and " + std::to_string(missing.size() - kNamed) + " more";
    return reason;
}

// Another block may list the transaction, too: what becomes of one listing leaves the other one as it is.
const std::string kOfListing = " WHERE tx_hash = $1 AND timestamp_nanosec = $2::numeric";
const std::string kAskAgain =
    "UPDATE pending_trees SET attempts = attempts + 1, due_at = now() + $3 * interval '1 millisecond', ";
const std::string kLacksReceipts =
    "reason = $4, receipts_missing_since = coalesce(receipts_missing_since, now())";

bool take_pending(pqxx::transaction_base& tx, const std::string& tx_hash, std::uint64_t timestamp_nanosec) {
    return shim::query(tx, "DELETE FROM pending_trees" + kOfListing, tx_hash, timestamp_nanosec)
               .affected_rows() > 0;
}

// A part is stored: it stays pending.
bool keep_pending(pqxx::transaction_base& tx, const chain::TreeCompletion& done) {
    return shim::query(tx, kAskAgain + kLacksReceipts + ", stored_part = $5" + kOfListing, done.tx_hash,
                       done.block_timestamp_nanosec, done.again_after.count(),
                       reason_of(done.missing_receipts),
                       done.part == chain::StoredPart::undecided ? "undecided" : "rows")
               .affected_rows() > 0;
}

// Findings of what was stored of the tree are taken back where the whole tree does not have them, if it is
// known by now what it has.
void take_back(pqxx::transaction_base& tx, const chain::TreeRows& tree) {
    const auto& done = tree.completion;
    if (!done.replaces_part || done.verdict.empty() || !tree.batch.facts.late_trees.empty()) return;
    JudgedAnew judged;
    judged.tx_hashes = {done.tx_hash};
    judged.verdicts = {done.verdict};
    judged.error_classes = {done.deciding_class};
    judged.why = done.replaces_whole ? kFetchedAgain : kMoreIsKnown;
    for_each_row(tree.batch, chain::Table::findings, {"finding_id", "handled"}, [&](const RowFields& row) {
        judged.holding.emplace_back(row[0].value_or(""));
        judged.handled.emplace_back(!row[1] ? "" : row[1]->front() != 0 ? "t" : "f");
    });
    take_back_judged(tx, judged);
}

// Not if it is complete, nor if its block was removed meanwhile.
bool is_wanted(pqxx::transaction_base& tx, const chain::TreeCompletion& done) {
    return !shim::query(
                tx,
                "SELECT FROM transactions WHERE status IS NULL AND tx_hash = $1 AND " + kAroundTransaction,
                done.tx_hash, done.block_timestamp_nanosec)
                .empty();
}

ChunkPlaces remove_earlier(pqxx::transaction_base& tx, const chain::TreeCompletion& done) {
    const auto earlier = "tree_id = coalesce((SELECT tree_id FROM executions WHERE tx_hash = $1 AND " +
                         kAroundTransaction + "  ORDER BY abs(extract(epoch FROM block_time - " + kAt +
                         ")) LIMIT 1), $1) AND " + kFromThen;
    const auto run = [&](const std::string& query) {
        return shim::query(tx, query, done.tx_hash, done.block_timestamp_nanosec);
    };
    const auto places = run(delete_returning_places(chain::Table::receipts, earlier))[0][0].as<std::string>();
    run("DELETE FROM events WHERE " + earlier);
    run("DELETE FROM transaction_results WHERE " + earlier + " AND tx_hash = $1");  // as their index has it
    // Other findings of the watch (it is stuck, say) do not belong to the tree.
    run("DELETE FROM findings WHERE " + earlier + " AND " + kTreeFindings);
    return places;
}

void complete_transaction(pqxx::transaction_base& tx, const chain::TreeCompletion& done) {
    shim::query(tx,
                "UPDATE transactions SET status = $3, initial_receipt_id = nullif($4, ''), "
                "error_class = nullif($5, ''), error_text = nullif($6, ''), gas_burnt = $7, "
                "tokens_burnt = nullif($8, '')::numeric, confirmed = $9 WHERE tx_hash = $1 AND " +
                    kAroundTransaction,
                done.tx_hash, done.block_timestamp_nanosec, done.status, done.initial_receipt_id,
                done.error_class, done.error_text, done.gas_burnt, done.tokens_burnt, done.confirmed);
}

// Data is listed after the transaction and before the callback that awaits it, hence within the
// tree's own time, but for a delayed block. What is not stored yet (its block is a gap, or slower than
// the tree) is left for the block's own commit to find: awaited_data.hpp.
void adopt_data(pqxx::transaction_base& tx, const chain::TreeCompletion& done) {
    if (done.data_ids.empty()) return;
    const auto ids = text_array(done.data_ids);
    shim::query(
        tx,
        std::string("UPDATE data_receipts SET tree_id = $1, tx_hash = $1 WHERE data_id = ANY ($3::text[]) "
                    "AND tx_hash IS DISTINCT FROM $1 AND block_time ") +
            kWithinAWeek,
        done.tx_hash, done.block_timestamp_nanosec, ids);
    shim::query(tx, "DELETE FROM orphan_receipts WHERE kind = 'data' AND id = ANY ($1::text[])", ids);
    shim::query(tx,
                std::string("INSERT INTO orphan_receipts (kind, id, tree_id, block_height, block_time, "
                            "adopted_into, adopted_tx_hash, adopted_at) "
                            "SELECT 'data', id, $1, 0, ") +
                    kSince +
                    ", $1, $1, now() FROM unnest($3::text[]) AS id WHERE NOT EXISTS "
                    "(SELECT FROM data_receipts d WHERE d.data_id = id AND d.block_time " +
                    kWithinAWeek + ")",
                done.tx_hash, done.block_timestamp_nanosec, ids);
}

// Receipts that were stored before their tree: under their own names where nobody could tell their
// transaction, or of blocks of the other source.
ChunkPlaces remove_orphans(pqxx::transaction_base& tx, const chain::TreeCompletion& done) {
    if (done.receipt_ids.empty()) return {};
    const auto rows = shim::query(tx,
                                  "DELETE FROM orphan_receipts WHERE kind = 'receipt' AND adopted_at IS NULL "
                                  "AND id = ANY ($1::text[]) RETURNING id",
                                  text_array(done.receipt_ids));
    if (rows.empty()) return {};
    const auto ids = texts_of(rows);
    const auto under_own_names = "tree_id = ANY ($1::text[]) AND " + kFromThen;
    const auto run = [&](const std::string& query) {
        return shim::query(tx, query, text_array(ids), done.block_timestamp_nanosec);
    };
    run("DELETE FROM events WHERE " + under_own_names);
    return run(delete_returning_places(chain::Table::receipts, under_own_names))[0][0].as<std::string>();
}

// Blocks have brought all of it meanwhile. The next block may have executed the hash again.
bool is_over(pqxx::transaction_base& tx, const chain::TreeCompletion& done) {
    const auto at = "abs(extract(epoch FROM block_time - " + kAt + ")) < 0.01 AND " + kAroundTransaction;
    return !shim::query(tx, "SELECT FROM transaction_results WHERE tx_hash = $1 AND " + at, done.tx_hash,
                        done.block_timestamp_nanosec)
                .empty();
}

LeftOutOutcomes left_out_of_blocks(pqxx::transaction_base& tx, const chain::TreeRows& tree) {
    std::vector<std::string> ids, heights;
    for_each_row(tree.batch, chain::Table::receipts, {"receipt_id", "block_height"},
                 [&](const RowFields& row) {
                     if (!row[1]) return;
                     ids.emplace_back(row[0].value_or(""));
                     heights.push_back(std::to_string(chain::big_endian<std::int64_t>(*row[1])));
                 });
    const auto row =
        shim::query(tx,
                    "SELECT count(*), coalesce(max(told.height), 0) FROM coverage c, "
                    "unnest($1::text[], $3::text[]::bigint[]) AS told (id, height) "
                    "WHERE (c.heights - c.without_outcomes) @> told.height AND NOT EXISTS "
                    "(SELECT FROM receipts r WHERE r.receipt_id = told.id "
                    "  AND r.block_height = told.height AND r.block_time >= " +
                        kSince + ")",
                    text_array(ids), tree.completion.block_timestamp_nanosec, text_array(heights))[0];
    return {row[0].as<std::uint64_t>(), row[1].as<base::Height>()};
}

struct WrittenTree {
    bool done = false;  // else it was complete already, or its block is not stored any more
    LeftOutOutcomes left_out;
};

WrittenTree write_tree(pqxx::connection& connection, const chain::TreeRows& tree, Database& database) {
    const auto& done = tree.completion;
    pqxx::work tx(connection);
    lock_adoption(tx);
    WrittenTree written;
    if (done.outcomes_missing && !done.replaces_part && is_over(tx, done)) {
        take_pending(tx, done.tx_hash, done.block_timestamp_nanosec);
        tx.commit();
        return written;
    }
    const bool is_pending = done.part == chain::StoredPart::none
                                ? take_pending(tx, done.tx_hash, done.block_timestamp_nanosec)
                                : keep_pending(tx, done);
    if (!is_pending && (done.part != chain::StoredPart::none || !is_wanted(tx, done))) return written;
    if (done.outcomes_missing) written.left_out = left_out_of_blocks(tx, tree);
    take_back(tx, tree);
    const auto earlier = remove_earlier(tx, done), of_orphans = remove_orphans(tx, done);
    copy_rows(tx, tree.batch);
    for (const auto* places : {&earlier, &of_orphans})
        if (!places->empty())
            shim::query(tx, fill_in_places(chain::Table::receipts, kFromThen), *places,
                        done.block_timestamp_nanosec);
    complete_transaction(tx, done);
    await_blocks(tx, tree);
    const auto told = tell_batch(tx, database, tree.batch);
    adopt_data(tx, done);
    const auto& facts = tree.batch.facts;
    if (facts.late_trees.empty()) forget_late_tree(tx, done.tx_hash);
    remember_late(tx, facts.late_trees, {done.block_timestamp_nanosec, facts.seen.history, true});
    name_executions(tx, {done.tx_hash});
    tx.commit();
    database.announce(told);
    written.done = true;
    return written;
}

}  // namespace

base::Task<std::uint64_t> PgTreeStore::take_over_trees(base::HeightRange ends) {
    return database_.pool.adopting.transaction([ends](pqxx::work& tx) { return place_unfinished(tx, ends); });
}

base::Task<std::vector<PendingTree>> PgTreeStore::silent_trees(base::HeightRange included_in) {
    return database_.pool.following.transaction(
        [included_in](pqxx::work& tx) { return storage::silent_trees(tx, included_in); });
}

base::Task<base::HeightSet> PgTreeStore::heights_to_replace() {
    return database_.pool.following.transaction([](pqxx::work& tx) {
        const auto row = tx.exec(
            "SELECT coalesce(range_agg(r), '{}') FROM backfills, unnest(to_replace) AS r "
            "WHERE state = 'unfinished'")[0];
        return heights_of(row[0]);
    });
}

base::Task<bool> PgTreeStore::place_silent_tree(PendingTree tree, std::vector<ToldOutcome> told,
                                                std::string untold) {
    return database_.pool.adopting.transaction(
        [tree = std::move(tree), told = std::move(told), untold = std::move(untold)](pqxx::work& tx) {
            return place_silent(tx, tree, told, untold);
        });
}

base::Task<LeftOutOutcomes> PgTreeStore::commit_tree(chain::TreeRows tree) {
    return database_.pool.adopting.run(
        [&database = database_, tree = std::move(tree)](pqxx::connection& connection) {
            const auto start = std::chrono::steady_clock::now();
            const auto write = [&] { return write_tree(connection, tree, database); };
            const auto days = days_of_rows(tree.batch);
            WrittenTree written;
            try {
                written = database.partitions.with_days(connection, days, DayLeave::counted, write);
            } catch (const pqxx::unique_violation&) {
                // Another daemon wrote the same tree; now it is seen.
                written = database.partitions.with_days(connection, days, DayLeave::counted, write);
            }
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
            if (written.done) database.note_committed(tree.batch, seconds.count());
            return written.left_out;
        });
}

base::Task<chain::DecidedCounts> PgTreeStore::discard_tree(PendingTree tree, chain::NewsSince news_since) {
    return database_.pool.adopting.run([&database = database_, tree = std::move(tree),
                                        news_since](pqxx::connection& connection) -> chain::DecidedCounts {
        pqxx::work tx(connection);
        const auto timestamp = tree.included_in.timestamp_nanosec;
        lock_adoption(tx);
        if (!take_pending(tx, tree.tx_hash, timestamp)) return {};
        shim::query(tx,
                    "UPDATE transactions SET status = 'failure', error_class = $3, error_text = $4, "
                    "gas_burnt = 0, tokens_burnt = 0 WHERE tx_hash = $1 AND status IS NULL AND " +
                        kAroundTransaction,
                    tree.tx_hash, timestamp, std::string(chain::kDiscarded),
                    std::string("a chunk lists it, and the chain dropped it without an outcome"));
        gather_executions(tx, {tree.tx_hash});
        auto batch = settle_again(tx, {tree.tx_hash}, timestamp);
        batch.withhold_before(news_since);
        const auto told = tell_batch(tx, database, batch);
        name_executions(tx, {tree.tx_hash});
        tx.commit();
        database.announce(told);
        return std::move(batch.facts.decided);
    });
}

base::Task<void> PgTreeStore::await_receipts(PendingTree tree, std::chrono::milliseconds delay,
                                             std::vector<std::string> missing) {
    return database_.pool.following.transaction(
        [tree = std::move(tree), delay, missing = std::move(missing)](pqxx::work& tx) {
            shim::query(tx, kAskAgain + kLacksReceipts + kOfListing, tree.tx_hash,
                        tree.included_in.timestamp_nanosec, delay.count(), reason_of(missing));
        });
}

base::Task<void> PgTreeStore::postpone_tree(PendingTree tree, std::chrono::milliseconds delay,
                                            std::string reason) {
    return database_.pool.following.transaction([tree = std::move(tree), delay,
                                                 reason = std::move(reason)](pqxx::work& tx) {
        shim::query(tx,
                    kAskAgain +
                        "reason = CASE WHEN starts_with(reason, $5) AND NOT starts_with($4, 'refused_by') "
                        "  THEN $5 || ': ' ELSE '' END || $4" +
                        kOfListing,
                    tree.tx_hash, tree.included_in.timestamp_nanosec, delay.count(), reason,
                    std::string(chain::kOutcomesMissing));
    });
}

}  // namespace receiptd::storage
