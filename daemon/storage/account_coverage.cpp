#include "storage/account_coverage.hpp"

#include "chain/tree/facts.hpp"
#include "storage/errors.hpp"

namespace receiptd::storage {
namespace {

// Trees that began at these heights may go on above them.
std::string with_reach(const std::string& heights) {
    return "coalesce((SELECT range_agg(int8range(lower(r), upper(r) + " + std::to_string(chain::kSeamReach) +
           ")) FROM unnest(" + heights + ") AS r), '{}')";
}

}  // namespace

std::int64_t scope_serial(pqxx::transaction_base& tx) {
    return tx.exec("SELECT coalesce(max(scope_serial), 0) FROM coverage")[0][0].as<std::int64_t>();
}

FollowedAccounts followed_accounts(pqxx::transaction_base& tx) {
    FollowedAccounts found;
    found.serial = scope_serial(tx);
    for (const auto& row : tx.exec(
             "SELECT account_id, since_height, CASE WHEN isempty(not_whole) THEN not_whole ELSE not_whole "
             "* int8multirange(int8range((SELECT block_height FROM block_above(-1)), NULL)) END "
             "FROM followed_accounts f WHERE " +
             kFollowedNow + " ORDER BY 1"))
        found.accounts.push_back({row[0].as<std::string>(), row[1].as<base::Height>(), heights_of(row[2])});
    return found;
}

std::vector<std::string> follow_accounts(pqxx::transaction_base& tx,
                                         const std::vector<std::string>& accounts) {
    // The row of coverage is locked: what is committed from then on hears of the change.
    const auto rows = shim::query(
        tx,
        "WITH new AS (SELECT DISTINCT a FROM unnest($1::text[]) AS a "
        "  WHERE NOT EXISTS (SELECT FROM followed_accounts f WHERE f.account_id = a)), "
        "grown AS (UPDATE coverage SET scope_serial = scope_serial + 1 WHERE EXISTS (SELECT FROM new) "
        "  RETURNING scope_serial, heights) "
        "INSERT INTO followed_accounts (account_id, since_height, added, not_whole) "
        "SELECT a, coalesce(upper(range_merge(heights)), 0), scope_serial, " +
            with_reach("(heights - coalesce((SELECT e.was_whole FROM followed_accounts e WHERE e.account_id "
                       "= '*'), '{}'))") +
            " FROM new, grown ON CONFLICT DO NOTHING RETURNING account_id",
        text_array(accounts));
    return texts_of(rows);
}

bool forget_account(pqxx::transaction_base& tx, const std::string& account) {
    const auto gone = shim::query(
        tx,
        "WITH changed AS (UPDATE coverage SET scope_serial = scope_serial + 1 "
        "  WHERE EXISTS (SELECT FROM followed_accounts WHERE account_id = $1 AND $1 <> '*') RETURNING 1) "
        "DELETE FROM followed_accounts USING changed WHERE account_id = $1",
        account);
    shim::query(tx,
                "UPDATE backfills SET state = 'finished', finished_at = now(), lease_owner = NULL, "
                "lease_until = NULL WHERE state = 'unfinished' AND $1 = ANY (accounts)",
                account);
    return gone.affected_rows() > 0;
}

void lack_later_accounts(pqxx::transaction_base& tx, const base::HeightSet& heights, std::int64_t serial) {
    shim::query(tx,
                "UPDATE followed_accounts SET not_whole = not_whole + " + with_reach("$1::int8multirange") +
                    ", since_height = greatest(since_height, upper(range_merge($1::int8multirange))) "
                    "WHERE added > $2",
                heights.to_multirange(), serial);
}

}  // namespace receiptd::storage
