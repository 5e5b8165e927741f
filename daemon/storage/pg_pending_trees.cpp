// Trees that are to be fetched, and how many there are.
#include "chain/json/protocol.hpp"
#include "chain/tree/judgement.hpp"
#include "storage/pg_tree_store.hpp"
#include "storage/place_trees.hpp"
#include "storage/sql_time.hpp"

#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::storage {
namespace {

// Pending trees that are due.
struct Claimed {
    std::vector<std::string> tx_hashes, heights;
    TimeSpan times = kNoTime;  // of their blocks
};

// The first of them, and others of about its time: a tree may be pending for months, and the days between
// cost a statement as much as those that it needs.
Claimed claim_due(pqxx::transaction_base& tx, unsigned limit, base::HeightRange included_in) {
    constexpr auto kTogether = std::chrono::microseconds(std::chrono::days(8)).count();
    const auto rows =
        shim::query(tx,
                    "SELECT tx_hash, block_height, " + microseconds_of("block_time") +
                        " FROM pending_trees WHERE due_at <= now() AND block_height BETWEEN $2 AND $3 "
                        "ORDER BY due_at, block_height, tx_hash LIMIT $1 FOR UPDATE SKIP LOCKED",
                    limit, included_in.from, included_in.to);
    Claimed claimed;
    for (const auto& row : rows) {
        const auto at = row[2].as<std::int64_t>();
        if (std::abs(at - rows[0][2].as<std::int64_t>()) > kTogether) continue;
        claimed.tx_hashes.push_back(row[0].as<std::string>());
        claimed.heights.push_back(row[1].as<std::string>());
        claimed.times.include(at);
    }
    return claimed;
}

// In place of the part that is stored.
constexpr const char* kStoredWhole = "whole";

chain::StoredPart part_named(std::string_view name) {
    if (name.empty() || name == kStoredWhole) return chain::StoredPart::none;
    return name == "undecided" ? chain::StoredPart::undecided : chain::StoredPart::rows;
}

PendingTree pending_of(const pqxx::row& row) {
    PendingTree pending;
    pending.tx_hash = row[0].as<std::string>();
    pending.sender_id = row[1].as<std::string>();
    pending.included_in.height = row[2].as<base::Height>();
    pending.included_in.hash = row[3].as<std::string>();
    pending.included_in.timestamp_nanosec = row[4].as<std::uint64_t>();
    pending.shard_id = shim::optional_of<chain::ShardId>(row[5]);
    pending.attempts = row[6].as<unsigned>();
    pending.ordered = row[7].as<bool>();
    pending.may_be_discarded = row[8].as<bool>();
    if (!row[9].is_null())
        pending.receipts_missing_for = std::chrono::milliseconds(row[9].as<std::int64_t>());
    pending.stored_part = part_named(row[10].as<std::string>());
    pending.stored_whole = row[10].as<std::string>() == kStoredWhole;
    pending.has_result = row[11].as<bool>();
    pending.outcomes_missing = row[12].as<bool>();
    return pending;
}

}  // namespace

base::Task<std::vector<PendingTree>> PgTreeStore::due_trees(unsigned limit, base::HeightRange included_in) {
    return database_.pool.following.transaction([limit, included_in](pqxx::work& tx) {
        const auto claimed = claim_due(tx, limit, included_in);
        if (claimed.tx_hashes.empty()) return std::vector<PendingTree>();
        const auto rows = shim::query(
            tx,
            "WITH due AS (SELECT tx_hash, block_height, due_at FROM pending_trees "
            "  WHERE (tx_hash, block_height) IN (SELECT * FROM unnest($1::text[], $2::bigint[]))), "
            // Others have finished it, unless a block was lost: that of its transaction, or of receipts.
            "done AS (DELETE FROM pending_trees p USING due WHERE p.tx_hash = due.tx_hash "
            "  AND p.block_height = due.block_height AND (p.receipts_missing_since < now() - interval '3 "
            "days' OR p.stored_part IS NULL AND EXISTS (SELECT FROM transaction_results r "
            "    WHERE r.tx_hash = p.tx_hash AND r.block_time = p.block_time AND " +
                between("r.block_time", 4) +
                ") AND NOT EXISTS (SELECT FROM transactions t WHERE t.tx_hash = p.tx_hash "
                "      AND t.block_time = p.block_time AND " +
                between("t.block_time", 4) + " AND (t.status IS NULL OR " + lacks_receipts(4) +
                "))) "
                "  RETURNING p.tx_hash, p.block_height), "
                "taken AS (UPDATE pending_trees p SET due_at = now() + interval '3 seconds' FROM due "
                "  WHERE p.tx_hash = due.tx_hash AND p.block_height = due.block_height "
                "    AND (p.tx_hash, p.block_height) NOT IN (SELECT tx_hash, block_height FROM done) "
                "  RETURNING p.*, due.due_at AS was_due_at) "
                "SELECT tx_hash, sender_id, block_height, block_hash, timestamp_nanosec, shard_id, attempts, "
                "  stored_part IS NOT DISTINCT FROM 'whole' OR EXISTS (SELECT FROM backfills "
                "    WHERE block_height BETWEEN from_height AND to_height), "
                "  EXISTS (SELECT FROM blocks b WHERE b.block_height = taken.block_height "
                "    AND b.block_time = taken.block_time AND b.protocol_version BETWEEN " +
                std::to_string(chain::protocol::kInvalidDroppedFrom) + " AND " +
                std::to_string(chain::protocol::kInvalidDroppedTo) + " AND " + between("b.block_time", 4) +
                "), "
                "  (extract(epoch FROM now() - receipts_missing_since) * 1000)::bigint, "
                "coalesce(stored_part, "
                "''), "
                "  EXISTS (SELECT FROM transaction_results r WHERE r.tx_hash = taken.tx_hash "
                "    AND r.block_time = taken.block_time AND " +
                between("r.block_time", 4) +
                "), "
                "  coalesce(starts_with(reason, $3), false) "
                "FROM taken ORDER BY was_due_at, block_height, tx_hash",
            text_array(claimed.tx_hashes), text_array(claimed.heights), std::string(chain::kOutcomesMissing),
            claimed.times.since, claimed.times.until);
        std::vector<PendingTree> due;
        for (const auto& row : rows) due.push_back(pending_of(row));
        return due;
    });
}

base::Task<std::uint64_t> PgTreeStore::pending_tree_count(base::HeightRange included_in) {
    return database_.pool.following.transaction([included_in](pqxx::work& tx) {
        return shim::query(tx,
                           "SELECT count(*) FROM pending_trees WHERE (stored_part IS NULL OR stored_part = "
                           "'whole') AND block_height BETWEEN $1 AND $2 AND (attempts > 0 AND "
                           "starts_with(reason, $3)) IS NOT TRUE",
                           included_in.from, included_in.to, std::string(chain::kOutcomesMissing))[0][0]
            .as<std::uint64_t>();
    });
}

base::Task<OverdueTrees> PgTreeStore::overdue_trees(std::chrono::seconds age) {
    return database_.pool.following.transaction([age](pqxx::work& tx) -> OverdueTrees {
        static const std::string overdue =
            "FROM pending_trees WHERE stored_part IS NULL AND placed_at < now() - $1::bigint * interval '1 "
            "second' AND NOT EXISTS "
            "  (SELECT FROM backfills WHERE block_height BETWEEN from_height AND to_height) ";
        const auto oldest = shim::query(tx,
                                        "SELECT tx_hash, coalesce(reason, ''), "
                                        "  (extract(epoch FROM now() - placed_at) * 1000)::bigint " +
                                            overdue + "ORDER BY placed_at LIMIT 1",
                                        age.count());
        OverdueTrees found;
        if (oldest.empty()) return found;
        found.oldest_tx_hash = oldest[0][0].as<std::string>();
        found.oldest_fault = oldest[0][1].as<std::string>();
        found.oldest_age = std::chrono::milliseconds(oldest[0][2].as<std::int64_t>());
        found.count = shim::query(tx, "SELECT count(*) FROM (SELECT " + overdue + "LIMIT $2) AS overdue",
                                  age.count(), kMostOverdue)[0][0]
                          .as<std::uint64_t>();
        return found;
    });
}

}  // namespace receiptd::storage
