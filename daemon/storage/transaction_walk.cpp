#include "storage/transaction_walk.hpp"

#include "storage/sql_time.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace receiptd::storage {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

// A receipt is executed within this time after its transaction.
constexpr hours kReach{24 * 7};

// With an index: no step has so many partitions that its locks would fill PostgreSQL's table.
constexpr std::array kByIndex = {hours(24),      hours(24 * 16), hours(24 * 64), hours(24 * 64),
                                 hours(24 * 64), hours(24 * 64), hours(24 * 64), hours(24 * 64)};
// Without one each step is read as a whole.
constexpr std::array kByTime = {minutes(1), minutes(16), minutes(4 * 60), minutes(20 * 60)};

// Before the place, in this step.
std::string before_place(const std::string& time, const std::string& id) {
    return time + " >= " + time_parameter(2) + " AND " + time + " <= " + time_parameter(3) + " AND (" + time +
           ", " + id + ") < (" + time_parameter(3) + ", $4) ";
}

std::string newest_of(const std::string& rows, const std::string& more_order = "") {
    return "(SELECT " + rows + "ORDER BY block_time DESC, tx_hash DESC" + more_order + " LIMIT $5::bigint)";
}

// Rows of an index: at, id, tree_id, receipt_id, since, skipped. The transaction lies between `since` and
// `at`.
std::string of_transactions(const std::string& where) {
    return newest_of(
        "block_time AS at, tx_hash AS id, tree_id, NULL::text AS receipt_id, block_time AS since, false AS "
        "skipped FROM transactions WHERE " +
        where + before_place("block_time", "tx_hash"));
}

// The receipts that an account got: the first one of a transaction leads to it. Receipts that lead nowhere
// are read, and skipped: however many there are, a look ends.
std::string of_receipts(const std::string& skipped) {
    return newest_of("block_time AS at, tx_hash AS id, tree_id, receipt_id, block_time - interval '" +
                         std::to_string(kReach.count()) + " hours' AS since, " + skipped +
                         " AS skipped FROM receipts WHERE receiver_id = $1 AND tx_hash IS NOT NULL AND " +
                         before_place("block_time", "tx_hash"),
                     ", skipped");
}

std::string of_failures() {
    return newest_of(
        "block_time AS at, tx_hash AS id, tree_id, NULL::text AS receipt_id, block_time AS since, false AS "
        "skipped FROM transaction_results WHERE verdict <> 'succeeded' AND " +
        before_place("block_time", "tx_hash"));
}

std::string read_by(const TransactionFilter& filter) {
    const std::string not_first = "role IS DISTINCT FROM 'initial'";
    if (filter.account_id.empty()) return filter.has_index() ? of_failures() : of_transactions("");
    const auto signed_by_it = of_transactions("signer_id = $1 AND ");
    switch (filter.role) {
        case AccountRole::signer: return signed_by_it;
        case AccountRole::receiver:  // a transaction that failed by itself made no receipt
            return of_receipts("(" + not_first + ")") + " UNION ALL " +
                   of_transactions("receiver_id = $1 AND initial_receipt_id IS NULL AND ");
        case AccountRole::user:  // a relayer sends to its user
            break;
    }
    return signed_by_it + " UNION ALL " + of_receipts("(" + not_first + " OR predecessor_id = receiver_id)");
}

std::string fits(const TransactionFilter& filter) {
    std::string condition =
        "($6 = '' OR r.method_name = $6) AND ($7 = '' OR r.verdict = $7) AND ($8 = '' OR r.near_status = $8) "
        "AND ($9 = '' OR r.error_class = $9)";
    if (filter.account_id.empty()) return condition + " AND $1 = ''";
    if (filter.role == AccountRole::user) condition += " AND coalesce(t.user_id, t.signer_id) = $1";
    return condition;
}

const std::string kListedColumns =
    "t.tx_hash, t.block_height, " + iso("t.block_time") +
    " AS block_time, t.signer_id, coalesce(t.user_id, t.signer_id) AS user_id, coalesce(r.claimed_user_id, "
    "t.claimed_user_id, '') AS claimed_user_id, t.receiver_id, coalesce(r.method_name, '') AS method_name, "
    "coalesce(r.verdict, '') AS verdict, coalesce(r.near_status, '') AS near_status, coalesce(r.effect, '') "
    "AS "
    "effect, coalesce(r.error_class, t.error_class, '') AS error_class, coalesce(left(coalesce(r.error_text, "
    "t.error_text), 4097), '') AS error_text, r.completed_height, " +
    iso("r.completed_time") +
    " AS completed_time, r.receipts, r.failed_receipts, r.gas_burnt, coalesce(r.tokens_burnt::text, '') AS "
    "tokens_burnt, coalesce(r.net_deposit::text, '') AS net_deposit, coalesce(r.tokens_lost::text, '') AS "
    "tokens_lost ";

}  // namespace

std::vector<std::int64_t> steps_of(const ListBounds& bounds, bool has_index) {
    const auto lengths = has_index ? std::vector<std::chrono::minutes>(kByIndex.begin(), kByIndex.end())
                                   : std::vector<std::chrono::minutes>(kByTime.begin(), kByTime.end());
    std::vector<std::int64_t> ends;
    auto end = std::min(bounds.from.at, bounds.newest);
    for (const auto length : lengths) {
        end -= std::chrono::microseconds(length).count();
        if (end <= std::max(bounds.since, bounds.oldest)) end = bounds.since;
        ends.push_back(end);
        if (end == bounds.since) break;
    }
    return ends;
}

const std::string kByRowsFound =
    "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; "
    "SET LOCAL jit = off";

std::string look_of(const TransactionFilter& filter) {
    // Receipts lead to transactions of earlier days.
    const bool is_signed = filter.account_id.empty() || filter.role == AccountRole::signer;
    const auto since = time_parameter(2, is_signed ? hours(0) : kReach);
    const auto within = [&](const std::string& time) {
        return time + " >= " + since + " AND " + time + " <= " + time_parameter(3);
    };
    return "WITH seen AS MATERIALIZED (SELECT * FROM (" + read_by(filter) +
           ") each ORDER BY at DESC, id DESC, skipped LIMIT $5::bigint) "
           "SELECT (SELECT count(*) FROM seen), coalesce((SELECT " +
           microseconds_of("min(at)") +
           " FROM seen), 0), coalesce((SELECT id FROM seen ORDER BY at, id LIMIT 1), ''), coalesce(" +
           microseconds_of("listed.at") + ", 0), listed.* FROM (SELECT) one LEFT JOIN (SELECT seen.at, " +
           kListedColumns +
           "FROM seen JOIN transactions t ON t.tx_hash = seen.id AND t.tree_id = seen.tree_id "
           "AND t.block_time BETWEEN seen.since AND seen.at AND " +
           within("t.block_time") +
           " AND (seen.receipt_id IS NULL OR t.initial_receipt_id = seen.receipt_id) "
           "LEFT JOIN transaction_results r ON r.tx_hash = t.tx_hash AND r.tree_id = t.tree_id "
           "AND r.block_time = t.block_time AND " +
           within("r.block_time") + " WHERE NOT seen.skipped AND " + fits(filter) +
           " ORDER BY seen.at DESC, seen.id DESC LIMIT $10::bigint) listed ON true "
           "ORDER BY listed.at DESC, listed.tx_hash DESC";
}

}  // namespace receiptd::storage
