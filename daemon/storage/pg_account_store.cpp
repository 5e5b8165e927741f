#include "storage/pg_account_store.hpp"

#include "chain/tree/facts.hpp"
#include "storage/awaited_data.hpp"
#include "storage/block_times.hpp"
#include "storage/chunk_places.hpp"
#include "storage/copy.hpp"
#include "storage/executions.hpp"
#include "storage/late_trees.hpp"
#include "storage/pg_orphan_store.hpp"
#include "storage/pg_unplaced_store.hpp"
#include "storage/set_aside.hpp"
#include "storage/sql_time.hpp"
#include "storage/tell_batch.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace receiptd::storage {
namespace {

using KnownIds = std::set<std::string, std::less<>>;

const std::string kLacking =
    "SELECT range_agg(one) AS heights, max(since_height) AS since FROM followed_accounts f "
    "LEFT JOIN LATERAL unnest(f.not_whole) AS one ON true WHERE f.account_id = ANY ($1::text[])";

// Rows that the database has in the place of those of a batch.
class RowsThere {
public:
    RowsThere(pqxx::transaction_base& tx, const chain::RowBatch& batch)
        : tx_(tx), batch_(batch), heights_(batch.facts.covered.to_multirange()) {}

    // The ids of the batch that these heights have.
    KnownIds at_these_heights(chain::Table table) const {
        const auto ids = ids_of_rows(batch_, table);
        return find(table, "block_height <@ '" + heights_ + "'::int8multirange AND ", ids,
                    std::chrono::seconds(1));
    }
    // The place of a row may be known here for the first time.
    void fill_in_places(chain::Table table, const KnownIds& stored) const {
        const auto places = places_of_rows(batch_, table, stored);
        if (places.empty()) return;
        shim::query(tx_, storage::fill_in_places(table, around_blocks(2, std::chrono::seconds(1))), places,
                    first(), last());
    }
    // What was judged of these trees before, by whoever knew less of them. Results and findings have the time
    // of another block.
    void forget_judged() const {
        forget_decided(tx_, batch_, "transaction_results WHERE tree_id = tx_hash AND tx_hash",
                       ids_of_rows(batch_, chain::Table::transaction_results));
        forget_decided(tx_, batch_, "findings WHERE " + kTreeFindings + " AND finding_id",
                       ids_of_rows(batch_, chain::Table::findings));
    }

private:
    std::uint64_t first() const { return batch_.facts.blocks.front().timestamp_nanosec; }
    std::uint64_t last() const { return batch_.facts.blocks.back().timestamp_nanosec; }
    KnownIds find(chain::Table table, const std::string& where, const std::vector<std::string>& ids,
                  std::chrono::seconds margin) const {
        KnownIds found;
        if (ids.empty()) return found;
        const auto& spec = chain::table_spec(table);
        const std::string& id = spec.columns.front();
        for (const auto& row : shim::query(tx_,
                                           "SELECT " + id + " FROM " + spec.name + " WHERE " + where + id +
                                               " = ANY ($1::text[]) AND " + around_blocks(2, margin),
                                           text_array(ids), first(), last()))
            found.emplace(row[0].as<std::string>());
        return found;
    }

    pqxx::transaction_base& tx_;
    const chain::RowBatch& batch_;
    std::string heights_;
};

// Stored rows stay: other accounts brought them, or an earlier attempt.
void leave_out_stored(pqxx::transaction_base& tx, chain::RowBatch& batch) {
    using chain::Table;
    for (const auto table : {Table::blocks, Table::chunks}) batch[table] = {};
    const RowsThere stored(tx, batch);
    const auto transactions = stored.at_these_heights(Table::transactions);
    const auto receipts = stored.at_these_heights(Table::receipts);
    const auto data = stored.at_these_heights(Table::data_receipts);
    const auto contracts = stored.at_these_heights(Table::global_contract_distributions);
    stored.fill_in_places(Table::transactions, transactions);
    stored.fill_in_places(Table::receipts, receipts);
    leave_out(batch, Table::transactions, "tx_hash", transactions);
    leave_out(batch, Table::pending_trees, "tx_hash", transactions);
    leave_out(batch, Table::receipts, "receipt_id", receipts);
    leave_out(batch, Table::events, "receipt_id", receipts);
    leave_out(batch, Table::data_receipts, "data_id", data);
    leave_out(batch, Table::global_contract_distributions, "receipt_id", contracts);
    for (const auto* ids : {&receipts, &data}) leave_out(batch, Table::orphan_receipts, "id", *ids);
}

bool are_stored(pqxx::transaction_base& tx, const base::HeightSet& heights) {
    const auto rows = shim::query(tx, "SELECT heights @> $1::int8multirange FROM coverage FOR UPDATE",
                                  heights.to_multirange());
    return !rows.empty() && rows[0][0].as<bool>();
}

void lack_no_more(pqxx::transaction_base& tx, const std::vector<std::string>& accounts,
                  const std::string& heights) {
    shim::query(tx,
                "UPDATE followed_accounts SET not_whole = not_whole - $2::int8multirange "
                "WHERE (account_id = ANY ($1::text[]) OR '*' = ANY ($1::text[])) "
                "AND not_whole && $2::int8multirange",
                text_array(accounts), heights);
}

void write_rows_of(pqxx::transaction_base& tx, chain::RowBatch& batch, Database& database) {
    leave_out_stored(tx, batch);
    gather_executions(tx, executed_again_before(tx, batch));
    RowsThere(tx, batch).forget_judged();
    copy_rows(tx, batch);
    tell_batch(tx, database, batch);
    remember_listed(tx, batch.listed);
    remember_left_out(tx, batch.facts.left_out);
    adopt_awaited(tx, batch);
    find_executions(tx, batch);
    name_executions(tx, executed_again_before(tx, batch));
    remember_late(tx, batch.facts.late_trees, {batch.facts.blocks.front().timestamp_nanosec, true});
}

// Outcomes that came now are compared with the roots of the chain, as others.
void cover_rows_of(pqxx::transaction_base& tx, const std::vector<std::string>& accounts,
                   const chain::RowBatch& batch, const base::HeightSet& whole) {
    if (batch.facts.tell_outcomes && batch[chain::Table::receipts].rows > 0)
        shim::query(tx,
                    "UPDATE coverage SET compared = compared - $1::int8multirange, "
                    "unconfirmed = unconfirmed - $1::int8multirange",
                    batch.facts.covered.to_multirange());
    if (!whole.empty()) lack_no_more(tx, accounts, whole.to_multirange());
}

// Receipts that are announced up to this height, and not executed up to it.
bool trees_are_over(pqxx::transaction_base& tx, base::Height last) {
    const auto heights = chain::with_reach_below({last, last});
    const auto times = times_of_blocks(tx, heights);
    if (!times) return true;
    const auto there = " WHERE block_height BETWEEN $1 AND $2 AND " + between("block_time", 3);
    return shim::query(tx,
                       "WITH announced AS (SELECT unnest(receipt_ids) AS id FROM receipts" + there +
                           "  UNION ALL SELECT initial_receipt_id FROM transactions" + there +
                           "  AND initial_receipt_id IS NOT NULL) "
                           "SELECT FROM announced WHERE id NOT IN (SELECT receipt_id FROM receipts" +
                           there + ") LIMIT 1",
                       heights.from, heights.to, times->since, times->until)
        .empty();
}

}  // namespace

base::Task<LackingAccounts> PgAccountStore::lacking(std::vector<std::string> accounts) {
    return database_.pool.following.transaction([accounts = std::move(accounts)](pqxx::work& tx) {
        const auto row = shim::query(
            tx,
            "WITH lacking AS (" + kLacking +
                "), kept AS (SELECT heights * int8multirange(int8range((SELECT block_height FROM "
                "block_above(-1)), "
                "  NULL)) AS heights FROM coverage) "
                "SELECT coalesce(lacking.heights * kept.heights, '{}'), "
                "  coalesce(upper(range_merge(lacking.heights)) > upper(range_merge(kept.heights)), false), "
                "  coalesce(since, 0) FROM lacking, kept",
            text_array(accounts))[0];
        LackingAccounts lacking;
        lacking.heights = heights_of(row[0]);
        lacking.reach_above = row[1].as<bool>();
        lacking.since = row[2].as<base::Height>();
        for (const auto& unknown : shim::query(tx,
                                               "SELECT a FROM unnest($1::text[]) AS a WHERE a NOT IN "
                                               "(SELECT account_id FROM followed_accounts)",
                                               text_array(accounts)))
            lacking.not_followed.push_back(unknown[0].as<std::string>());
        return lacking;
    });
}

base::Task<bool> PgAccountStore::commit_rows_of(std::vector<std::string> accounts, chain::RowBatch batch,
                                                base::HeightSet whole) {
    return database_.pool.writers.run([&database = database_, accounts = std::move(accounts),
                                       batch = std::move(batch),
                                       whole = std::move(whole)](pqxx::connection& connection) mutable {
        return database.partitions.with_days(connection, days_of_blocks(batch), DayLeave::free, [&] {
            auto rows = batch;
            pqxx::work tx(connection);
            lock_adoption(tx);
            write_rows_of(tx, rows, database);
            if (!are_stored(tx, rows.facts.covered)) return false;
            cover_rows_of(tx, accounts, rows, whole);
            tx.commit();
            return true;
        });
    });
}

base::Task<void> PgAccountStore::whole_at(std::vector<std::string> accounts, base::HeightSet heights) {
    return database_.pool.following.transaction(
        [accounts = std::move(accounts), heights = std::move(heights)](pqxx::work& tx) {
            if (are_stored(tx, heights)) lack_no_more(tx, accounts, heights.to_multirange());
        });
}

base::Task<bool> PgAccountStore::settle_above(std::vector<std::string> accounts, base::Height last,
                                              bool whole_trees) {
    return database_.pool.following.transaction([accounts = std::move(accounts), last,
                                                 whole_trees](pqxx::work& tx) {
        const auto names = text_array(accounts);
        const auto later = shim::query(tx,
                                       "SELECT FROM followed_accounts WHERE account_id = ANY ($1::text[]) "
                                       "AND since_height > $2::bigint + 1 LIMIT 1",
                                       names, last);
        if (!later.empty()) return false;
        if (!whole_trees && !trees_are_over(tx, last)) return false;
        lack_no_more(tx, accounts, "{[" + std::to_string(last + 1) + ",)}");
        return true;
    });
}

base::Task<bool> PgAccountStore::forget(std::string account) {
    return database_.pool.following.transaction(
        [account = std::move(account)](pqxx::work& tx) { return forget_account(tx, account); });
}

}  // namespace receiptd::storage
