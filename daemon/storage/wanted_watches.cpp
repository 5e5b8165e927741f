#include "storage/wanted_watches.hpp"

#include "storage/fault.hpp"

#include <optional>
#include <span>
#include <string>

namespace receiptd::storage {
namespace {

constexpr int kMostNew = 500;
constexpr int kMostHeld = 50;

// Moves them in the order of their hashes, so that two writers of the same watches cannot deadlock.
constexpr const char* kMove =
    "WITH moved AS (DELETE FROM wanted_watches WHERE tx_hash = ANY ($1::text[]) RETURNING *) "
    "INSERT INTO watches (tx_hash, sender_id, origin, rule) SELECT tx_hash, sender_id, 'rule', rule "
    "FROM moved ORDER BY tx_hash ON CONFLICT (tx_hash) DO NOTHING";

constexpr const char* kTryLater =
    "UPDATE wanted_watches SET tries = tries + 1, "
    "next_try_at = now() + least(2 ^ least(tries, 3), 5) * interval '1 second' WHERE tx_hash = $1";

// What waits for the named user is wanted once the initial receipt has succeeded, and not any more when that
// failed, or when a day has brought nothing.
// A wallet that refuses at once succeeds and says so (chain/tree/wallet.hpp): {"success":false in base64.
const std::string kHowItEnded =
    "WITH claimed AS (SELECT tx_hash, created_at, claimed_at - interval '1 second' AS since FROM "
    "wanted_watches "
    "  WHERE claimed_at IS NOT NULL) "
    "SELECT w.tx_hash, coalesce(r.signed, false) FROM claimed w "
    "LEFT JOIN LATERAL (SELECT status LIKE 'success%' AND (method_name IS DISTINCT FROM 'rlp_execute' "
    "    OR coalesce(result, '') NOT LIKE 'eyJzdWNjZXNzIjpmYWxz%') AS signed "
    "  FROM tree_receipts(ARRAY[w.tx_hash], w.since, w.since + interval '1 day') "
    "  WHERE role = 'initial' LIMIT 1) r ON true "
    "LEFT JOIN LATERAL (SELECT true AS failed "
    "  FROM tree_transactions(ARRAY[w.tx_hash], w.since, w.since + interval '2 seconds') "
    "  WHERE status = 'failure' LIMIT 1) t ON true "
    "WHERE r.signed IS NOT NULL OR t.failed OR w.created_at < now() - interval '1 day' "
    "ORDER BY w.created_at LIMIT $1";

void decide_claims(pqxx::connection& connection) {
    pqxx::work tx(connection);
    std::vector<std::string> theirs, others;
    for (const auto& row : shim::query(tx, kHowItEnded, kMostNew))
        (row[1].as<bool>() ? theirs : others).push_back(row[0].as<std::string>());
    if (!theirs.empty())
        shim::query(tx, "UPDATE wanted_watches SET claimed_at = NULL WHERE tx_hash = ANY ($1::text[])",
                    text_array(theirs));
    if (!others.empty())
        shim::query(tx, "DELETE FROM wanted_watches WHERE tx_hash = ANY ($1::text[])", text_array(others));
    tx.commit();
}

// New watches come first: however many are held, they wait for few of these.
constexpr const char* kDue =
    "(SELECT tx_hash FROM wanted_watches WHERE tries = 0 AND claimed_at IS NULL "
    "ORDER BY next_try_at LIMIT $1) UNION ALL "
    "(SELECT tx_hash FROM wanted_watches WHERE tries > 0 AND next_try_at <= now() ORDER BY next_try_at LIMIT "
    "$2)";

struct NotMoved {
    std::optional<Refusal> refusal;  // nullopt: another session holds a row of them
};

std::optional<NotMoved> try_to_move(pqxx::connection& connection, std::span<const std::string> tx_hashes) {
    try {
        pqxx::work tx(connection);
        tx.exec("SET LOCAL lock_timeout = '5ms'");
        shim::query(tx, kMove, text_array({tx_hashes.begin(), tx_hashes.end()}));
        tx.commit();
        return std::nullopt;
    } catch (const pqxx::sql_error& error) {
        const auto sqlstate = shim::sqlstate_of(error);
        if (sqlstate == kNoLockInTime) return NotMoved{};
        if (fault_kind(sqlstate) != FaultKind::refused) throw;
        return NotMoved{Refusal(error)};
    }
}

void leave_one(pqxx::connection& connection, const std::string& tx_hash, const NotMoved& why,
               SetAside& set_aside) {
    if (why.refusal) set_aside.put(Aside::watch, tx_hash, why.refusal->reason);
    pqxx::work tx(connection);
    shim::query(tx, why.refusal ? "DELETE FROM wanted_watches WHERE tx_hash = $1" : kTryLater, tx_hash);
    tx.commit();
}

}  // namespace

void want_watches(pqxx::transaction_base& tx, const std::vector<chain::WantedWatch>& watches) {
    if (watches.empty()) return;
    std::vector<std::string> tx_hashes, senders, rules, claimed_at;
    for (const auto& watch : watches) {
        tx_hashes.push_back(watch.tx_hash);
        senders.push_back(watch.sender_id);
        rules.push_back(watch.rule);
        claimed_at.push_back(watch.claimed_at ? std::to_string(*watch.claimed_at) : std::string());
    }
    shim::query(
        tx,
        "INSERT INTO wanted_watches (tx_hash, sender_id, rule, claimed_at) "
        "SELECT tx_hash, sender_id, rule, to_timestamp((nullif(at, '')::numeric / 1000000000)::float8) "
        "FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS w (tx_hash, sender_id, rule, at) "
        "ORDER BY 1 ON CONFLICT DO NOTHING",
        text_array(tx_hashes), text_array(senders), text_array(rules), text_array(claimed_at));
}

void make_wanted_watches(pqxx::connection& connection, SetAside& set_aside) {
    std::vector<std::string> tx_hashes;
    decide_claims(connection);
    {
        pqxx::work tx(connection);
        for (const auto& row : shim::query(tx, kDue, kMostNew, kMostHeld))
            tx_hashes.push_back(row[0].as<std::string>());
    }
    by_halves(
        std::span<const std::string>(tx_hashes),
        [&](std::span<const std::string> some) { return try_to_move(connection, some); },
        [&](const std::string& one, const NotMoved& why) { leave_one(connection, one, why, set_aside); });
}

}  // namespace receiptd::storage
