// Whole blocks have the outcomes of their height: its receipts go, and theirs come. Other blocks name
// transactions only. What is stored of their trees stays until the trees come as a whole, and so do trees
// that ran here and began elsewhere.
//
// Rows of a transaction that is watched are stored whatever the scope, and the batch has not got them: they
// stay, too, and the tree is fetched again.
#include "storage/replace_rows.hpp"

#include "storage/awaited_data.hpp"
#include "storage/block_removal.hpp"
#include "storage/copy.hpp"
#include "storage/days_of.hpp"
#include "storage/executions.hpp"
#include "storage/late_trees.hpp"
#include "storage/pg_unplaced_store.hpp"
#include "storage/place_trees.hpp"
#include "storage/set_aside.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::storage {
namespace {

using RowIds = std::vector<std::string>;

// $1 is the heights, $2 and $3 the times of the batch.
const std::string kHere =
    "block_height <@ $1::int8multirange AND " + around_blocks(2, std::chrono::seconds(1));

// How a transaction ended is told by its tree, if the block does not: that may be fetched later, or never
// again.
const std::string kEndsOf =
    "SELECT coalesce(json_agg(t), '[]')::text FROM (SELECT tx_hash, block_height, status, "
    "initial_receipt_id, "
    "error_class, error_text, gas_burnt, tokens_burnt, confirmed FROM transactions WHERE status IS NOT NULL "
    "AND " +
    kHere + ") t";
const std::string kKeepEnds =
    "UPDATE transactions t SET status = o.status, initial_receipt_id = o.initial_receipt_id, "
    "error_class = o.error_class, error_text = o.error_text, gas_burnt = o.gas_burnt, "
    "tokens_burnt = o.tokens_burnt, confirmed = o.confirmed "
    "FROM json_populate_recordset(NULL::transactions, $4::json) o "
    "WHERE t.status IS NULL AND t.tx_hash = o.tx_hash AND t.block_height = o.block_height AND t.block_height "
    "<@ "
    "$1::int8multirange "
    "AND t." +
    around_blocks(2, std::chrono::seconds(1));
const std::string kTreesOfData =
    "SELECT coalesce(json_agg(d), '[]')::text FROM (SELECT data_id, receipt_id, tree_id, tx_hash "
    "FROM data_receipts WHERE tx_hash IS NOT NULL AND " +
    kHere + ") d";
const std::string kKeepTreesOfData =
    "UPDATE data_receipts d SET tree_id = o.tree_id, tx_hash = o.tx_hash "
    "FROM json_populate_recordset(NULL::data_receipts, $4::json) o "
    "WHERE d.data_id = o.data_id AND d.receipt_id = o.receipt_id AND d.block_height <@ $1::int8multirange "
    "AND d." +
    around_blocks(2, std::chrono::seconds(1));

constexpr const char* kReplaceWhole =
    "UPDATE pending_trees p SET stored_part = 'whole' WHERE p.stored_part IS NULL "
    "AND p.block_height <@ $1::int8multirange AND EXISTS (SELECT FROM transactions t "
    "  WHERE t.tx_hash = p.tx_hash AND t.block_height = p.block_height AND t.block_time = p.block_time "
    "    AND t.status IS NOT NULL)";

class Replacement {
public:
    Replacement(pqxx::transaction_base& tx, chain::RowBatch& batch, base::Height ordered_from)
        : tx_(tx),
          batch_(batch),
          ordered_from_(ordered_from),
          heights_(batch.facts.covered.to_multirange()) {}

    void run() {
        note_what_is_there();
        remove();
        copy_rows(tx_, batch_);
        remember_listed(tx_, batch_.listed);
        remember_left_out(tx_, batch_.facts.left_out);
        keep_ends();
        adopt_awaited(tx_, batch_);
        fetch_again();
        forget_what_is_of_no_tree();
    }

private:
    std::uint64_t first() const { return batch_.facts.blocks.front().timestamp_nanosec; }
    std::uint64_t last() const { return batch_.facts.blocks.back().timestamp_nanosec; }
    template <class... More>
    pqxx::result here(const std::string& query, const More&... more) const {
        return shim::query(tx_, query, heights_, first(), last(), more...);
    }

    void note_what_is_there() {
        trees_ = texts_of(here("SELECT tree_id FROM receipts WHERE " + kHere +
                               "UNION SELECT tree_id FROM data_receipts WHERE " + kHere +
                               "UNION SELECT tree_id FROM transactions WHERE " + kHere));
        kept_ = texts_of(
            shim::query(tx_,
                        "SELECT tree FROM unnest($1::text[]) AS tree WHERE split_part(tree, '@', 1) IN "
                        "(SELECT tx_hash FROM watches) "
                        "AND EXISTS (SELECT FROM chain_identity WHERE scope <> 'all')",
                        text_array(trees_)));
        ends_ = here(kEndsOf)[0][0].as<std::string>();
        if (!batch_.facts.tell_outcomes) trees_of_data_ = here(kTreesOfData)[0][0].as<std::string>();
    }

    // Rows of a kept tree go only where the batch brings them again.
    void remove_rows(const std::string& table, const std::string& id, const RowIds& brought) {
        here("DELETE FROM " + table + " WHERE " + kHere + "AND (tree_id <> ALL ($4::text[]) OR " + id +
                 " = ANY ($5::text[]))",
             text_array(kept_), text_array(brought));
    }

    void remove() {
        using chain::Table;
        if (batch_.facts.tell_outcomes) {
            const auto receipts = ids_of_rows(batch_, Table::receipts);
            remove_rows("events", "receipt_id", receipts);
            remove_rows("receipts", "receipt_id", receipts);
        }
        remove_rows("transactions", "tx_hash", ids_of_rows(batch_, Table::transactions));
        remove_rows("data_receipts", "data_id", ids_of_rows(batch_, Table::data_receipts));
        for (const auto* table : {"global_contract_distributions", "chunks", "blocks"})
            here(std::string("DELETE FROM ") + table + " WHERE " + kHere);
        for (const auto* rows : {"pending_trees WHERE", "unplaced_receipts WHERE",
                                 "orphan_receipts WHERE id <> 'removed block' AND"})
            shim::query(tx_, std::string("DELETE FROM ") + rows + " block_height <@ $1::int8multirange",
                        heights_);
        shim::query(tx_,
                    "DELETE FROM set_aside_rows WHERE CASE what WHEN 'row' THEN "
                    "$1::int8multirange @> split_part(id, ' ', 1)::bigint END",
                    heights_);
    }

    void keep_ends() {
        here(kKeepEnds, ends_);
        if (!batch_.facts.tell_outcomes) here(kKeepTreesOfData, trees_of_data_);
        shim::query(tx_, kReplaceWhole, heights_);
    }

    // Trees whose rows here are not those of the batch. Those that began in a block of the order come with
    // it.
    void fetch_again() {
        fetch_again(kept_, base::kTopHeight);
        if (!batch_.facts.tell_outcomes) fetch_again(trees_, ordered_from_);
    }
    void fetch_again(const RowIds& trees, base::Height begun_below) {
        if (trees.empty()) return;
        const DaysOf days(tx_, trees);
        shim::query(tx_,
                    make_pending(
                        "whole", [&days](const std::string& time) { return days.have(time); },
                        "t.tx_hash = ANY ($1::text[]) AND t.block_height < $2"),
                    text_array(trees), begun_below);
    }

    // A tree without its transaction is one of which only a part is in scope, or stored; what it gave is
    // judged anew. Otherwise nothing of it is of this chain.
    void forget_what_is_of_no_tree() {
        here("DELETE FROM transaction_results WHERE " + kHere +
                 "AND tx_hash <> ALL ($4::text[]) AND tree_id <> ALL ($5::text[])",
             text_array(ids_of_rows(batch_, chain::Table::transactions)), text_array(kept_));
        const auto lost = without_transaction();
        if (lost.empty()) return;
        for (const auto& row : shim::query(tx_,
                                           "DELETE FROM findings WHERE " + kTreeFindings +
                                               " AND tree_id = ANY ($1::text[]) AND " +
                                               DaysOf(tx_, lost).have("block_time") + " RETURNING tree_id",
                                           text_array(lost)))
            batch_.facts.late_trees.insert(row[0].as<std::string>());
        if (batch_.facts.tell_outcomes) return;
        for (const auto* rows : {"events WHERE", "receipts WHERE"})
            here(std::string("DELETE FROM ") + rows + " tree_id = ANY ($4::text[]) AND " + kHere,
                 text_array(lost));
    }

    RowIds without_transaction() {
        std::set<std::string> lost(trees_.begin(), trees_.end());
        const auto judged =
            texts_of(here("SELECT DISTINCT tree_id FROM findings WHERE " + kTreeFindings + " AND " + kHere));
        lost.insert(judged.begin(), judged.end());
        if (lost.empty()) return {};
        const RowIds trees(lost.begin(), lost.end());
        for (const auto& row : shim::query(tx_,
                                           "SELECT DISTINCT tx_hash FROM transactions t "
                                           "WHERE t.tx_hash = ANY ($1::text[]) AND " +
                                               DaysOf(tx_, trees).have("t.block_time"),
                                           text_array(trees)))
            lost.erase(row[0].as<std::string>());
        return {lost.begin(), lost.end()};
    }

    pqxx::transaction_base& tx_;
    chain::RowBatch& batch_;
    base::Height ordered_from_;
    std::string heights_;
    RowIds trees_, kept_;
    std::string ends_, trees_of_data_;  // JSON, of source rpc
};

}  // namespace

void replace_rows(pqxx::transaction_base& tx, chain::RowBatch& batch, base::Height ordered_from) {
    const auto late = batch.facts.late_trees;
    leave_judgements(batch);
    batch.facts.late_trees = late;
    const base::HeightRange heights{*batch.facts.covered.first(), *batch.facts.covered.last()};
    const auto again = executed_again_around(tx, heights);
    gather_executions(tx, again);
    for (const auto& range : batch.facts.covered.ranges())
        for (auto height = range.from; height <= range.to && !again.empty(); ++height)
            forget_executions_at(tx, height);
    Replacement replacement(tx, batch, ordered_from);
    replacement.run();
    find_executions(tx, batch);
    name_executions(tx, again);
    name_executions(tx, executed_again_before(tx, batch));
    remember_late(tx, batch.facts.late_trees, {batch.facts.blocks.front().timestamp_nanosec, true});
}

}  // namespace receiptd::storage
