#include "storage/pg_unplaced_store.hpp"

#include "storage/copy.hpp"
#include "storage/days_of.hpp"
#include "storage/tell_batch.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace receiptd::storage {
namespace {

UnplacedReceipt read_row(const pqxx::row& row) {
    UnplacedReceipt unplaced;
    auto& receipt = unplaced.receipt;
    receipt.receipt_id = row[0].as<std::string>();
    receipt.receiver_id = row[1].as<std::string>();
    receipt.signer_id = row[2].as<std::string>();
    receipt.height = row[3].as<base::Height>();
    receipt.timestamp_nanosec = row[4].as<std::uint64_t>();
    unplaced.wants_outcome = row[5].as<bool>();
    unplaced.attempts = row[6].as<unsigned>();
    unplaced.age = std::chrono::milliseconds(row[7].as<std::int64_t>());
    return unplaced;
}

struct ClaimedReceipts {
    std::vector<UnplacedReceipt> receipts;
    std::vector<std::string> tx_hashes;  // "": not told yet
};

ClaimedReceipts claim(pqxx::transaction_base& tx, unsigned limit) {
    const auto rows = shim::query(
        tx,
        "WITH due AS (SELECT receipt_id FROM unplaced_receipts WHERE due_at <= now() "
        "  ORDER BY due_at, receipt_id LIMIT $1 FOR UPDATE SKIP LOCKED) "
        "UPDATE unplaced_receipts u SET due_at = now() + "
        // A receipt that is not asked for now is due again later; the pause grows with its age.
        "  least(interval '15 seconds', greatest(interval '500 milliseconds', (now() - created_at) / 4)) "
        "FROM due "
        "WHERE u.receipt_id = due.receipt_id "
        "RETURNING u.receipt_id, receiver_id, signer_id, block_height, timestamp_nanosec, "
        "stage = 'outcome', attempts, greatest(0, extract(epoch FROM now() - created_at) * 1000)::bigint, "
        "coalesce(tx_hash, '')",
        limit);
    ClaimedReceipts claimed;
    for (const auto& row : rows) {
        claimed.receipts.push_back(read_row(row));
        claimed.tx_hashes.push_back(row[8].as<std::string>());
    }
    return claimed;
}

std::set<std::string> texts(const pqxx::result& rows) {
    std::set<std::string> found;
    for (const auto& row : rows) found.insert(row[0].as<std::string>());
    return found;
}

// A receipt is executed no earlier than it is listed, and within days.
std::set<std::string> stored(pqxx::transaction_base& tx, const ClaimedReceipts& claimed) {
    std::vector<std::string> ids;
    auto since = claimed.receipts.front().receipt.timestamp_nanosec;
    auto until = since;
    for (const auto& unplaced : claimed.receipts) {
        ids.push_back(unplaced.receipt.receipt_id);
        since = std::min(since, unplaced.receipt.timestamp_nanosec);
        until = std::max(until, unplaced.receipt.timestamp_nanosec);
    }
    return texts(shim::query(tx,
                             "SELECT receipt_id FROM receipts WHERE receipt_id = ANY ($1::text[]) "
                             "AND block_time BETWEEN " +
                                 time_of_nanoseconds(2, std::chrono::minutes(-1)) + " AND " +
                                 time_of_nanoseconds(3, std::chrono::days(7)),
                             text_array(ids), since, until));
}

void forget(pqxx::transaction_base& tx, const std::set<std::string>& ids) {
    if (ids.empty()) return;
    shim::query(tx, "DELETE FROM unplaced_receipts WHERE receipt_id = ANY ($1::text[])",
                text_array({ids.begin(), ids.end()}));
}

void look_for_pending(pqxx::transaction_base& tx, UnplacedRound& round,
                      const std::vector<std::string>& tx_hashes) {
    std::vector<std::string> signers, told;
    for (const auto& unplaced : round.due) signers.push_back(unplaced.receipt.signer_id);
    for (const auto& tx_hash : tx_hashes)
        if (!tx_hash.empty()) told.push_back(tx_hash);
    const auto busy = texts(
        shim::query(tx, "SELECT DISTINCT sender_id FROM pending_trees WHERE sender_id = ANY ($1::text[])",
                    text_array(signers)));
    const auto pending = texts(shim::query(
        tx, "SELECT DISTINCT tx_hash FROM pending_trees WHERE tx_hash = ANY ($1::text[])", text_array(told)));
    for (std::size_t i = 0; i < round.due.size(); ++i) {
        round.due[i].signer_pending = busy.contains(round.due[i].receipt.signer_id);
        round.due[i].tree_pending = pending.contains(tx_hashes[i]);
    }
}

const std::string kIsStored =
    "SELECT FROM transactions WHERE tx_hash = $1 AND block_time BETWEEN " +
    time_of_nanoseconds(2, std::chrono::seconds(-1)) + " AND " +
    time_of_nanoseconds(2, std::chrono::seconds(1)) +
    " UNION ALL SELECT FROM pending_trees WHERE tx_hash = $1 AND timestamp_nanosec = "
    "$2::numeric";

void write_place(pqxx::connection& connection, const FoundTransaction& found) {
    pqxx::work tx(connection);
    if (shim::query(tx, kIsStored, found.tx_hash, found.timestamp_nanosec).empty()) copy_rows(tx, found.rows);
    shim::query(tx,
                "UPDATE unplaced_receipts SET tx_hash = $1, reason = NULL, "
                "attempts = attempts + CASE WHEN receipt_id = $2 THEN 1 ELSE 0 END, "
                "due_at = now() + interval '1 second' "
                "WHERE receipt_id = $2 OR (receipt_id = ANY ($3::text[]) AND stage = 'transaction')",
                found.tx_hash, found.asked_for, text_array(found.receipt_ids));
    tx.commit();
}

}  // namespace

void remember_listed(pqxx::transaction_base& tx, const std::vector<chain::ListedReceipt>& listed) {
    if (listed.empty()) return;
    std::vector<std::string> ids, receivers, signers, heights, times;
    for (const auto& receipt : listed) {
        ids.push_back(receipt.receipt_id);
        receivers.push_back(receipt.receiver_id);
        signers.push_back(receipt.signer_id);
        heights.push_back(std::to_string(receipt.height));
        times.push_back(std::to_string(receipt.timestamp_nanosec));
    }
    shim::query(tx,
                "INSERT INTO unplaced_receipts (receipt_id, receiver_id, signer_id, block_height, "
                "timestamp_nanosec) SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], "
                "$5::bigint[])",
                text_array(ids), text_array(receivers), text_array(signers), text_array(heights),
                text_array(times));
}

base::Task<UnplacedRound> PgUnplacedStore::due_unplaced(unsigned limit) {
    return database_.pool.following.transaction([limit](pqxx::work& tx) -> UnplacedRound {
        UnplacedRound round;
        auto claimed = claim(tx, limit);
        if (claimed.receipts.empty()) return round;
        const auto came = stored(tx, claimed);
        forget(tx, came);
        std::vector<std::string> tx_hashes;
        for (std::size_t i = 0; i < claimed.receipts.size(); ++i) {
            auto& unplaced = claimed.receipts[i];
            auto& tx_hash = claimed.tx_hashes[i];
            if (came.contains(unplaced.receipt.receipt_id)) {
                ++(tx_hash.empty() ? round.came : round.came_when_asked);
                continue;
            }
            round.due.push_back(std::move(unplaced));
            tx_hashes.push_back(std::move(tx_hash));
        }
        if (!round.due.empty()) look_for_pending(tx, round, tx_hashes);
        return round;
    });
}

base::Task<std::uint64_t> PgUnplacedStore::unplaced_count(base::HeightRange listed_in) {
    return database_.pool.following.transaction([listed_in](pqxx::work& tx) {
        return shim::query(tx, "SELECT count(*) FROM unplaced_receipts WHERE block_height BETWEEN $1 AND $2",
                           listed_in.from, listed_in.to)[0][0]
            .as<std::uint64_t>();
    });
}

base::Task<void> PgUnplacedStore::postpone_unplaced(std::string receipt_id, std::chrono::milliseconds delay,
                                                    bool in_vain, std::string reason) {
    return database_.pool.following.transaction(
        [receipt_id = std::move(receipt_id), delay, in_vain, reason = std::move(reason)](pqxx::work& tx) {
            shim::query(tx,
                        "UPDATE unplaced_receipts SET attempts = attempts + CASE WHEN $3 THEN 1 ELSE 0 END, "
                        "reason = $4, due_at = now() + $2 * interval '1 millisecond' WHERE receipt_id = $1",
                        receipt_id, delay.count(), in_vain, reason);
        });
}

// Rows that collide were written meanwhile; now they are seen.
base::Task<void> PgUnplacedStore::place(FoundTransaction found) {
    return database_.pool.following.run(
        [&database = database_, found = std::move(found)](pqxx::connection& connection) {
            const auto write = [&] { write_place(connection, found); };
            const auto days = days_of_rows(found.rows);
            try {
                database.partitions.with_days(connection, days, DayLeave::counted, write);
            } catch (const pqxx::unique_violation&) {
                database.partitions.with_days(connection, days, DayLeave::counted, write);
            }
        });
}

base::Task<void> PgUnplacedStore::want_outcome(std::string receipt_id, std::string reason) {
    return database_.pool.following.transaction(
        [receipt_id = std::move(receipt_id), reason = std::move(reason)](pqxx::work& tx) {
            shim::query(
                tx,
                "UPDATE unplaced_receipts SET stage = 'outcome', attempts = 0, reason = $2, due_at = now() "
                "WHERE receipt_id = $1",
                receipt_id, reason);
        });
}

base::Task<void> PgUnplacedStore::store_orphan(std::string receipt_id, chain::RowBatch rows) {
    return database_.pool.following.run([&database = database_, receipt_id = std::move(receipt_id),
                                         rows = std::move(rows)](pqxx::connection& connection) {
        database.partitions.with_days(connection, days_of_rows(rows), DayLeave::counted, [&] {
            pqxx::work tx(connection);
            // Not there any more: this was committed already, or its tree came.
            const auto still = shim::query(tx,
                                           "DELETE FROM unplaced_receipts WHERE receipt_id = $1 RETURNING "
                                           "EXISTS (SELECT FROM backfills WHERE block_height BETWEEN "
                                           "from_height AND to_height)",
                                           receipt_id);
            if (!still.empty()) copy_rows(tx, rows);
            const bool is_news = !still.empty() && !still[0][0].as<bool>();
            const auto told = is_news ? tell_batch(tx, database, rows) : Told();
            tx.commit();
            database.announce(told);
        });
    });
}

base::Task<std::optional<chain::ExecutedAt>> PgUnplacedStore::executed_at(std::string block_hash,
                                                                          std::string outcome_root) {
    return database_.pool.following.transaction([block_hash = std::move(block_hash),
                                                 outcome_root = std::move(outcome_root)](
                                                    pqxx::work& tx) -> std::optional<chain::ExecutedAt> {
        const auto above = shim::query(tx,
                                       "SELECT block_height, block_time, block_time - interval '1 hour' FROM "
                                       "blocks WHERE block_hash = $1 "
                                       "AND " +
                                           DaysOf(tx, {block_hash}).have("block_time"),
                                       block_hash);
        if (above.empty()) return std::nullopt;
        const auto rows = shim::query(
            tx,
            "WITH here AS MATERIALIZED (SELECT shard_id, missing, outcome_root FROM chunks "
            "  WHERE block_height = $1 AND block_time = $3::timestamptz), "
            "below AS NOT MATERIALIZED (SELECT c.shard_id, c.block_height, c.missing FROM chunks c "
            "  WHERE c.block_height < $1 AND c.block_time < $3::timestamptz "
            "  AND c.block_time >= $4::timestamptz), "
            "listing AS MATERIALIZED (SELECT h.shard_id, EXISTS (SELECT FROM below b "
            "    WHERE b.shard_id = h.shard_id) AS is_known FROM here h "
            "  WHERE NOT h.missing AND h.outcome_root = $2), "
            // The first chunks of the children of a split shard tell its outcomes, and it is gone.
            "shards AS (SELECT shard_id FROM listing WHERE is_known "
            "  UNION SELECT b.shard_id FROM below b WHERE EXISTS (SELECT FROM listing WHERE NOT is_known) "
            "    AND b.shard_id NOT IN (SELECT shard_id FROM here)), "
            "executing AS (SELECT max(b.block_height) AS block_height FROM below b JOIN shards USING "
            "(shard_id) "
            "  WHERE NOT b.missing HAVING count(DISTINCT b.shard_id) = 1) "
            "SELECT b.block_height, b.timestamp_nanosec FROM blocks b JOIN executing USING (block_height) "
            // Nothing between may be unknown: the nearest stored chunk need not be the nearest one.
            "WHERE b.block_time BETWEEN $4::timestamptz AND $3::timestamptz "
            "  AND (SELECT heights @> int8range(b.block_height, $1) FROM coverage)",
            above[0][0].as<base::Height>(), outcome_root, above[0][1].as<std::string>(),
            above[0][2].as<std::string>());
        if (rows.size() != 1) return std::nullopt;
        return chain::ExecutedAt{rows[0][0].as<base::Height>(), rows[0][1].as<std::uint64_t>()};
    });
}

}  // namespace receiptd::storage
