#include "storage/pg_history_store.hpp"

#include "base/coroutine.hpp"
#include "base/iso_time.hpp"
#include "chain/tree/finding.hpp"
#include "storage/account_coverage.hpp"
#include "storage/errors.hpp"
#include "storage/sql_time.hpp"
#include "storage/time_cursor.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

namespace receiptd::storage {
namespace {

// Rows of an index that a request reads before it leaves the rest to the next one.
constexpr unsigned kMostRead = 5'000;
// Each look reads more than the one before: filters that fit seldom take few looks.
constexpr unsigned kGrowth = 4;

constexpr std::array<std::pair<AccountRole, std::string_view>, 3> kAccountRoles = {
    {{AccountRole::user, "user"}, {AccountRole::signer, "signer"}, {AccountRole::receiver, "receiver"}}};

// Sorts before all hashes, so everything at that time is behind it.
constexpr const char* kNoHash = "0";

std::string text_of(const ListPlace& place) {
    return base::iso_time_to_microseconds(static_cast<std::uint64_t>(place.at) * kNanosecondsPerMicrosecond) +
           "," + (place.id.empty() ? kNoHash : place.id);
}

ListedTransaction listed_transaction(const pqxx::row& row) {
    ListedTransaction listed;
    int next = 5;  // behind the columns of the look, and the time of the place
    const auto text = [&] { return row[next++].as<std::string>(); };
    const auto number = [&] { return shim::optional_of<std::int64_t>(row[next++]); };
    listed.tx_hash = text();
    listed.block_height = number().value_or(0);
    for (auto* const member :
         {&listed.block_time, &listed.signer_id, &listed.user_id, &listed.claimed_user_id,
          &listed.receiver_id, &listed.method_name, &listed.verdict, &listed.near_status, &listed.effect,
          &listed.error_class, &listed.error_text})
        *member = text();
    listed.completed_height = number();
    listed.completed_time = text();
    for (auto* const member : {&listed.receipts, &listed.failed_receipts, &listed.gas_burnt})
        *member = number();
    for (auto* const member : {&listed.tokens_burnt, &listed.net_deposit, &listed.tokens_lost})
        *member = text();
    listed.cursor = text_of({row[3].as<std::int64_t>(), listed.tx_hash});
    return listed;
}

TimeCursor place_of(const std::string& text) {
    if (text.empty()) return {};
    auto cursor = parse_time_cursor(text);
    if (!cursor) throw StorageError("not the cursor of a list of transactions: \"" + text + "\"");
    return std::move(*cursor);
}

// Heights that are whole: stored, not lacking rows of the account, and kept.
const std::string kKnown =
    "WITH followed AS (SELECT f.not_whole FROM followed_accounts f WHERE " + kFollowedNow +
    " AND ($1 = '' OR f.account_id IN ($1, '*'))), "
    "lacking AS (SELECT range_agg(one) AS heights FROM followed, unnest(not_whole) AS one), "
    "gone AS (SELECT max(before_time) AS before FROM pruned WHERE table_name = $2), "
    "kept AS (SELECT CASE WHEN before IS NOT NULL THEN coalesce((SELECT block_height FROM block_marks "
    "  WHERE block_time >= before ORDER BY block_time LIMIT 1), 9223372036854775806) END AS since FROM "
    "gone), "
    "told AS (SELECT i.scope = 'all' OR (i.scope = 'accounts' AND ($1 = '' OR EXISTS (SELECT FROM "
    "followed))) "
    "  AS is_told FROM chain_identity i), "
    "whole AS (SELECT range_agg(one) AS heights FROM coverage c, lacking, kept, told, "
    "  unnest((c.heights - coalesce(lacking.heights, '{}')) * int8multirange(int8range(kept.since, NULL))) "
    "AS one "
    "  WHERE told.is_told) "
    "SELECT coalesce((SELECT is_told FROM told), false), " +
    iso("gone.before") + ", " +
    iso("CASE WHEN whole.heights IS NOT NULL THEN (SELECT block_time FROM "
        "block_above(lower(range_merge(whole.heights)) - 1)) END") +
    ", lower(one), upper(one) - 1 FROM gone CROSS JOIN whole LEFT JOIN LATERAL (SELECT one FROM "
    "unnest(whole.heights) AS one ORDER BY one DESC LIMIT $3::bigint) ranges ON true ORDER BY lower(one) "
    "DESC";

Gap gap_of(const pqxx::row& row) {
    return {row[0].as<std::int64_t>(),
            row[1].as<std::int64_t>(),
            row[2].as<std::string>(),
            row[3].as<std::string>(),
            shim::optional_of<std::int64_t>(row[4]),
            row[5].as<std::string>(),
            row[6].as<std::string>(),
            row[7].as<std::string>()};
}

BackfillOrder order_of(const pqxx::row& row) {
    BackfillOrder order;
    order.id = row[0].as<std::int64_t>();
    order.from_height = row[1].as<std::int64_t>();
    order.to_height = row[2].as<std::int64_t>();
    order.accounts = ids_of(row[3]);
    order.all_accounts = row[4].as<std::int64_t>();
    order.replaces = row[5].as<bool>();
    order.finished = row[6].as<bool>();
    order.leased = row[7].as<bool>();
    order.heights_left = shim::optional_of<std::int64_t>(row[8]);
    order.created_at = row[9].as<std::string>();
    order.finished_at = row[10].as<std::string>();
    return order;
}

}  // namespace

std::string_view account_role_name(AccountRole role) {
    return std::find_if(kAccountRoles.begin(), kAccountRoles.end(),
                        [&](const auto& each) { return each.first == role; })
        ->second;
}

std::optional<AccountRole> parse_account_role(std::string_view name) {
    for (const auto& [role, known] : kAccountRoles)
        if (known == name) return role;
    return std::nullopt;
}

bool is_transaction_cursor(const std::string& text) { return parse_time_cursor(text).has_value(); }
std::string gap_cursor(const Gap& gap) { return std::to_string(gap.from_height); }
std::string backfill_cursor(const BackfillOrder& order) { return std::to_string(order.id); }

base::Task<ListBounds> PgHistoryStore::bounds_of(const TransactionFilter& filter) {
    auto cursor = place_of(filter.cursor);
    return database_.pool.people.transaction([since = filter.since, until = filter.until,
                                              cursor = std::move(cursor)](pqxx::work& tx) {
        const auto row = shim::query(
            tx,
            "SELECT " +
                microseconds_of("least(coalesce(nullif($1, '')::timestamptz, '9999-01-01Z'), "
                                "coalesce(nullif($2, '')::timestamptz, '9999-01-01Z'))") +
                ", " + microseconds_of("coalesce(newest_block_time(), now()) + interval '1 microsecond'") +
                ", " +
                microseconds_of(
                    "greatest(coalesce(nullif($3, '')::timestamptz, '1970-01-01Z'), '1970-01-01Z')") +
                ", coalesce((SELECT " + microseconds_of("min(block_time)") +
                " FROM block_marks), 0), coalesce(nullif($1, '')::timestamptz <= "
                "coalesce(nullif($2, '')::timestamptz, 'infinity'), false)",
            cursor.time, until, since)[0];
        ListBounds bounds;
        bounds.from.at = row[0].as<std::int64_t>();
        bounds.newest = row[1].as<std::int64_t>();
        bounds.since = row[2].as<std::int64_t>();
        bounds.oldest = row[3].as<std::int64_t>();
        if (row[4].as<bool>()) bounds.from.id = cursor.rest;
        return bounds;
    });
}

base::Task<PgHistoryStore::Look> PgHistoryStore::look(const TransactionFilter& filter, std::int64_t since,
                                                      const ListPlace& from, unsigned most, unsigned wanted) {
    return database_.pool.people.transaction([filter, since, from, most, wanted](pqxx::work& tx) {
        tx.exec(kByRowsFound);
        const auto rows =
            shim::query(tx, look_of(filter), filter.account_id, since, from.at, from.id,
                        static_cast<std::int64_t>(most), filter.method_name,
                        filter.verdict ? std::string(chain::verdict_name(*filter.verdict)) : std::string(),
                        filter.near_status, filter.error_class, static_cast<std::int64_t>(wanted));
        Look look;
        look.read = rows[0][0].as<std::int64_t>();
        look.last = {rows[0][1].as<std::int64_t>(), rows[0][2].as<std::string>()};
        for (const auto& row : rows)
            if (!row[4].is_null()) look.fitting.push_back(listed_transaction(row));
        return look;
    });
}

base::Task<TransactionPage> PgHistoryStore::list_transactions(TransactionFilter filter) {
    const auto bounds = co_await bounds_of(filter);
    TransactionPage page;
    auto place = bounds.from;
    auto most = filter.limit + 1;
    std::int64_t left = kMostRead;
    for (const auto since : steps_of(bounds, filter.has_index())) {
        for (bool step_is_read = false; !step_is_read;) {
            const auto wanted = filter.limit + 1 - static_cast<unsigned>(page.transactions.size());
            auto found = co_await look(filter, since, place, most, wanted);
            std::move(found.fitting.begin(), found.fitting.end(), std::back_inserter(page.transactions));
            if (page.transactions.size() > filter.limit) {
                page.transactions.pop_back();
                page.next_cursor = page.transactions.back().cursor;
                co_return page;
            }
            step_is_read = found.read < most;
            if (step_is_read)
                place = {since, ""};
            else
                place = std::move(found.last);
            left -= found.read;
            if (left <= 0) break;
            most = static_cast<unsigned>(std::min<std::int64_t>(most * kGrowth, left));
        }
        if (left <= 0) break;
    }
    if (place.at > bounds.since || !place.id.empty()) page.next_cursor = text_of(place);
    co_return page;
}

base::Task<KnownHeights> PgHistoryStore::known_heights(std::string account_id, ListedTable table) {
    return database_.pool.people.transaction([account_id = std::move(account_id), table](pqxx::work& tx) {
        const std::string name = table == ListedTable::findings ? "findings" : "transactions";
        const auto rows =
            shim::query(tx, kKnown, account_id, name, static_cast<std::int64_t>(kMostRanges + 1));
        KnownHeights known;
        known.followed = rows[0][0].as<bool>();
        known.pruned_before = rows[0][1].as<std::string>();
        known.since = rows[0][2].as<std::string>();
        for (const auto& row : rows)
            if (!row[3].is_null())
                known.ranges.push_back({row[3].as<base::Height>(), row[4].as<base::Height>()});
        known.has_more = known.ranges.size() > kMostRanges;
        if (known.has_more) known.ranges.pop_back();
        return known;
    });
}

base::Task<std::vector<Gap>> PgHistoryStore::list_gaps(std::int64_t above, unsigned limit) {
    return database_.pool.people.transaction([above, limit](pqxx::work& tx) {
        std::vector<Gap> gaps;
        for (const auto& row : shim::query(
                 tx,
                 "SELECT from_height, to_height, reason, coalesce(left(detail, 4096), ''), attempts, " +
                     iso("since") + ", " + iso("last_attempt_at") + ", " + iso("next_attempt_at") +
                     " FROM gaps WHERE from_height > $1 ORDER BY from_height LIMIT $2",
                 above, static_cast<std::int64_t>(limit)))
            gaps.push_back(gap_of(row));
        return gaps;
    });
}

base::Task<std::vector<BackfillOrder>> PgHistoryStore::list_backfills(std::int64_t before, unsigned limit) {
    return database_.pool.people.transaction([before, limit](pqxx::work& tx) {
        std::vector<BackfillOrder> orders;
        for (const auto& row : shim::query(
                 tx,
                 "SELECT b.id, b.from_height, b.to_height, b.accounts[1:$3::int], cardinality(b.accounts), "
                 "b.to_replace IS NOT NULL, b.state = 'finished', coalesce(b.lease_until > now(), false), "
                 "CASE WHEN b.accounts <> '{}' THEN NULL WHEN b.state = 'finished' THEN 0 ELSE "
                 "coalesce((SELECT sum(upper(one) - lower(one))::bigint FROM coverage c, "
                 "unnest(coalesce(b.to_replace, int8multirange(int8range(b.from_height, b.to_height + 1)) - "
                 "c.heights)) AS one), 0) END, " +
                     iso("b.created_at") + ", " + iso("b.finished_at") +
                     " FROM backfills b WHERE b.id < $1 ORDER BY b.id DESC LIMIT $2",
                 before, static_cast<std::int64_t>(limit), static_cast<int>(kMostAccounts)))
            orders.push_back(order_of(row));
        return orders;
    });
}

}  // namespace receiptd::storage
