// Orphans find their parents (chain/lineage.hpp), whatever order the blocks were committed in.
//
// orphan_receipts keeps the tree an orphan's rows were written under (tree_id, NULL: its own id) and the one
// they belong to now (adopted_into): rows of the old name may still be on their way from a follower that does
// not know of the adoption, and are moved by the next call.
#include "storage/pg_orphan_store.hpp"

#include "chain/tree/facts.hpp"
#include "chain/tree/roles.hpp"
#include "metrics/registry.hpp"
#include "storage/adoption.hpp"
#include "storage/block_times.hpp"
#include "storage/executions.hpp"
#include "storage/late_trees.hpp"
#include "storage/locks.hpp"
#include "storage/set_aside.hpp"
#include "storage/sql_time.hpp"
#include "storage/told_again.hpp"

#include <algorithm>
#include <functional>
#include <span>

namespace receiptd::storage {
namespace {

constexpr base::Height kTreeHeights =
    10 * kSeamReach;  // rows of a tree written under an old name: at most that far

struct ReceiptColumns {
    std::vector<std::string> ids, trees, times, parents, roles, tx_hashes;
};

// Moves rows of whole trees.
void move_trees(pqxx::transaction_base& tx, const std::vector<TreeMove>& moves, const std::string& since) {
    if (moves.empty()) return;
    ReceiptColumns c;
    for (const auto& move : moves) {
        c.ids.push_back(move.from);
        c.trees.push_back(move.to.tree_id);
        c.tx_hashes.push_back(move.to.tx_hash);
    }
    shim::query(tx,
                "SELECT move_tree(old_tree, new_tree, nullif(new_tx_hash, ''), $4) "
                "FROM unnest($1::text[], $2::text[], $3::text[]) AS move (old_tree, new_tree, new_tx_hash)",
                text_array(c.ids), text_array(c.trees), text_array(c.tx_hashes), since);
}

// Rows that came in under a tree's old name after it was adopted.
void move_late_rows(pqxx::transaction_base& tx, base::HeightRange around) {
    const auto rows =
        shim::query(tx,
                    "SELECT coalesce(tree_id, id), max(adopted_into), coalesce(max(adopted_tx_hash), ''), "
                    "min(block_time) FROM orphan_receipts WHERE kind = 'receipt' AND "
                    "adopted_into <> coalesce(tree_id, id) AND block_height BETWEEN $1 AND $2 GROUP BY 1",
                    base::below(around.from, kTreeHeights), around.to);
    std::vector<TreeMove> moves;
    std::string since;
    for (const auto& row : rows) {
        const auto time = row[3].as<std::string>();
        if (since.empty() || time < since) since = time;
        moves.push_back({row[0].as<std::string>(), {row[1].as<std::string>(), row[2].as<std::string>()}});
    }
    move_trees(tx, moves, since);
}

// Heights of orphans to look at together, and when the other side was executed: all of it, and up to the
// seam. A search is planned with these times, so that it opens the partitions between them only.
struct Slice {
    base::HeightRange heights;
    TimeSpan around;
    std::int64_t seam = 0;  // microseconds since 1970
};

void find_times(pqxx::transaction_base& tx, Slice& slice, base::Height seam) {
    const auto reach = chain::with_reach_around(slice.heights);
    slice.around = times_of_blocks(tx, reach).value_or(TimeSpan());
    slice.seam = 0;
    if (seam < reach.from) return;
    const auto below_seam = times_of_blocks(tx, {reach.from, std::min(reach.to, seam)});
    if (below_seam) slice.seam = below_seam->until;
}

// Searching for the parents of a slice reads the window below once.
std::vector<Slice> orphan_slices(pqxx::transaction_base& tx, base::HeightRange around) {
    const auto reach = chain::with_reach_around(around);
    const auto rows =
        shim::query(tx,
                    "SELECT DISTINCT block_height FROM orphan_receipts WHERE adopted_at IS NULL "
                    "AND block_height BETWEEN $1 AND $2 ORDER BY block_height",
                    reach.from, reach.to);
    std::vector<Slice> slices;
    for (const auto& row : rows) {
        const auto height = row[0].as<base::Height>();
        if (slices.empty() || height - slices.back().heights.from > kSeamReach)
            slices.push_back({{height, height}, {}, 0});
        else
            slices.back().heights.to = height;
    }
    for (auto& slice : slices) find_times(tx, slice, around.to);
    return slices;
}

// A search for the other side starts with the orphans of one kind ($4) of a slice, or with some of them
// ($7).
const std::string kOrphans =
    "WITH orphans AS MATERIALIZED (SELECT id, coalesce(adopted_into, tree_id, id) AS tree_id, "
    "  coalesce(adopted_tx_hash, '') AS tx_hash, block_height, block_time FROM orphan_receipts "
    "  WHERE kind = $4 AND adopted_at IS NULL AND block_height BETWEEN $1::bigint AND $2::bigint "
    "  AND ($7::text[] = '{}' OR id = ANY ($7::text[]))), ";
const std::string kBelowTheSeam = "BETWEEN " + time_parameter(5) + " AND " + time_parameter(6) + " ";
const std::string kAround = "BETWEEN " + time_parameter(5) + " AND " + time_parameter(8) + " ";

// Above the seam one run's lineage knew both sides: no parent is there.
const std::string kFindParents =
    kOrphans +
    // Step by step, as without statistics the planner would multiply receipts with orphans; mostly there is
    // no link, and then the orphans' own rows are not read at all. IS TRUE keeps IN a look into a hash table
    // for each child: as a join, all children would be put together first.
    "children AS MATERIALIZED (SELECT child, r.receipt_id, r.tree_id, r.tx_hash, r.block_height, "
    "  CASE WHEN r.status LIKE 'success%' AND r.actions::text LIKE '%\"DeleteAccount\"%' THEN "
    "    (SELECT action -> 'DeleteAccount' ->> 'beneficiary_id' FROM "
    "json_array_elements(r.actions) AS action "
    "     WHERE json_typeof(action) = 'object' AND action -> 'DeleteAccount' IS NOT NULL LIMIT 1) END "
    "  AS beneficiary_id, "
    "  coalesce(r.status = 'success_receipt_id' AND r.result = child, false) AS returned "
    "  FROM receipts r CROSS JOIN LATERAL unnest(r.receipt_ids) AS child "
    "  WHERE r.block_time " +
    kBelowTheSeam +
    "    AND (child IN (SELECT id FROM orphans)) IS TRUE "
    "  UNION ALL SELECT t.initial_receipt_id, NULL, t.tree_id, t.tx_hash, t.block_height, NULL, false "
    "  FROM transactions t WHERE t.initial_receipt_id IS NOT NULL "
    "  AND t.block_time " +
    kBelowTheSeam +
    "  AND (t.initial_receipt_id IN (SELECT id FROM orphans)) IS TRUE), "
    "links AS MATERIALIZED (SELECT o.id, o.tree_id AS old_tree, o.tx_hash AS old_tx_hash, o.block_time, "
    "  coalesce(c.receipt_id, '') AS parent_id, c.tree_id, coalesce(c.tx_hash, '') AS tx_hash, "
    "  coalesce(c.beneficiary_id, '') AS beneficiary_id, "
    "c.returned "
    "  FROM children c JOIN orphans o ON o.id = c.child "
    "  WHERE coalesce(c.block_height >= o.block_height - $3::bigint, true)) "
    "SELECT array_agg(id), array_agg(old_tree), array_agg(old_tx_hash), array_agg(block_time), "
    "array_agg(parent_id), array_agg(tree_id), array_agg(tx_hash), array_agg(beneficiary_id), "
    "array_agg(returned), count(*), min(block_time), max(block_time) FROM links";

// Adds facts from the orphans' own rows; these lie close together, and nothing else is read. Without its
// predecessor a receipt's body could not be had.
constexpr const char* kLinks =
    "SELECT l.id, l.old_tree, coalesce(own.tx_hash, l.old_tx_hash), l.at, l.parent_id, "
    "  l.tree_id, l.tx_hash, l.beneficiary_id, l.returned, own.predecessor_id IS NOT NULL, "
    "  coalesce(own.predecessor_id = 'system', false), coalesce(own.signer_id = 'system', false), "
    "  own.input_data_ids IS NOT NULL, own.output_data_ids IS NOT NULL, "
    "  coalesce(own.receiver_id, '') "
    "FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], "
    "  $8::text[], $9::boolean[]) "
    "  AS l (id, old_tree, old_tx_hash, at, parent_id, tree_id, tx_hash, beneficiary_id, returned) "
    "JOIN receipts own ON own.tree_id = l.old_tree AND own.receipt_id = l.id AND own.block_time = l.at "
    "WHERE own.block_time BETWEEN $10::timestamptz AND $11::timestamptz "
    "ORDER BY l.at, l.id";

std::string role_in(const pqxx::row& link) {
    chain::ParentFacts parent;
    parent.is_transaction = link[4].as<std::string>().empty();
    const auto beneficiary_id = link[7].as<std::string>();
    parent.beneficiary_id = beneficiary_id;
    if (link[8].as<bool>()) parent.result_chain = chain::OnResultChain::unknown;
    if (!parent.is_transaction && !link[9].as<bool>()) return {};
    chain::RoleFacts receipt;
    receipt.from_system = link[10].as<bool>();
    receipt.signed_by_system = link[11].as<bool>();
    receipt.awaits = link[12].as<bool>();
    receipt.awaited = link[13].as<bool>();
    const auto receiver_id = link[14].as<std::string>();
    receipt.receiver_id = receiver_id;
    const auto role = chain::role_of(receipt, parent);
    return role ? std::string(chain::role_name(*role)) : std::string();
}

void set_parents(pqxx::transaction_base& tx, const ReceiptColumns& c) {
    shim::query(tx,
                "UPDATE receipts r SET parent_receipt_id = nullif(found.parent, ''), role = "
                "nullif(found.role, '') FROM "
                "unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::text[]) "
                "AS found (id, tree, at, parent, role) "
                "WHERE r.tree_id = found.tree AND r.receipt_id = found.id AND r.block_time = found.at "
                "AND r.block_time = ANY ($3::timestamptz[])",
                text_array(c.ids), text_array(c.trees), text_array(c.times), text_array(c.parents),
                text_array(c.roles));
    shim::query(
        tx,
        "UPDATE orphan_receipts SET adopted_at = now(), adopted_into = coalesce(adopted_into, tree_id, id) "
        "WHERE kind = 'receipt' AND id = ANY ($1::text[])",
        text_array(c.ids));
}

// Empty: all of a slice.
using Orphans = std::span<const std::string>;

std::string array_of(Orphans orphans) { return text_array({orphans.begin(), orphans.end()}); }

std::uint64_t adopt_receipts(pqxx::transaction_base& tx, const Slice& slice, Orphans only) {
    const auto found = shim::query(tx, kFindParents, slice.heights.from, slice.heights.to, kSeamReach,
                                   std::string("receipt"), slice.around.since, slice.seam, array_of(only))[0];
    if (found[9].as<std::uint64_t>() == 0) return 0;
    const auto column = [&found](int at) { return found[at].as<std::string>(); };
    const auto rows = shim::query(tx, kLinks, column(0), column(1), column(2), column(3), column(4),
                                  column(5), column(6), column(7), column(8), column(10), column(11));
    ReceiptColumns c;
    std::vector<TreeLink> links;
    for (const auto& row : rows) {
        c.ids.push_back(row[0].as<std::string>());
        c.trees.push_back(row[1].as<std::string>());
        c.times.push_back(row[3].as<std::string>());
        c.parents.push_back(row[4].as<std::string>());
        c.roles.push_back(role_in(row));
        links.push_back({{c.trees.back(), row[2].as<std::string>()},
                         {row[5].as<std::string>(), row[6].as<std::string>()}});
    }
    set_parents(tx, c);
    move_trees(tx, plan_moves(links), c.times.front());
    return rows.size();
}

// Receipts that an orphan returned, or that what it returned did, got no role where it had no parent yet:
// also those that came in after its adoption. A receipt that was told again has an orphan above one telling.
void settle_adopted(pqxx::transaction_base& tx, base::HeightRange around) {
    const auto reach = chain::with_reach_around(around);
    const auto adopted = shim::query(
        tx,
        "SELECT trees, since, until, settle_roles(trees, since, until) FROM ("
        "  SELECT array_agg(DISTINCT adopted_into) AS trees, min(block_time) - interval '1 day' AS since, "
        "    max(block_time) + interval '7 days' AS until FROM orphan_receipts WHERE kind = 'receipt' "
        "  AND adopted_at IS NOT NULL AND block_height BETWEEN $1 AND $2 HAVING count(*) > 0) AS around",
        reach.from, reach.to);
    for (const auto& row : adopted)
        keep_first_tellings(tx, row[0].as<std::string>(),
                            {row[1].as<std::string>(), row[2].as<std::string>()});
}

// Data belongs to the tree of the receipt that produces it. A receipt that awaits it names the same
// tree in the end; until the producer is stored, its name will do. Producers are below the seam, as parents
// are. The receipt that awaits was announced before the data was produced, so its own run did not see
// its parent either: it is an orphan, and found by index, one after the other (LIMIT). All receipts around
// are read where that does not hold: a yield may be announced by the same run as anything else, and nobody is
// said to produce its resume; the producer may be in a block that this run has lost.
const std::string kFindDataTrees =
    kOrphans +
    "links AS (SELECT unnest(r.output_data_ids) AS data_id, r.tree_id, r.tx_hash, r.block_height, "
    "    true AS produces FROM receipts r "
    "  WHERE r.block_time " +
    kBelowTheSeam +
    "    AND r.output_data_ids IS NOT NULL "
    "  UNION ALL SELECT unnest(r.input_data_ids), r.tree_id, r.tx_hash, r.block_height, false "
    "  FROM orphan_receipts w CROSS JOIN LATERAL (SELECT * FROM receipts r "
    "    WHERE r.tree_id = coalesce(w.adopted_into, w.tree_id, w.id) AND r.receipt_id = w.id "
    "      AND r.block_time = w.block_time AND r.block_time " +
    kAround +
    "LIMIT 1) r "
    "  WHERE w.kind = 'receipt' AND r.input_data_ids IS NOT NULL "
    "    AND w.block_height BETWEEN (SELECT min(block_height) FROM orphans) "
    "      AND (SELECT max(block_height) FROM orphans) + $3::bigint "
    "  UNION ALL SELECT unnest(r.input_data_ids), r.tree_id, r.tx_hash, r.block_height, false FROM receipts "
    "r "
    "  WHERE (EXISTS (SELECT FROM orphans o CROSS JOIN LATERAL (SELECT is_promise_resume FROM data_receipts "
    "d "
    "      WHERE d.data_id = o.id AND d.block_time = o.block_time AND d.block_time " +
    kAround +
    "      LIMIT 1) d WHERE is_promise_resume) OR EXISTS (SELECT FROM unavailable_heights "
    "      WHERE height BETWEEN $1::bigint - $3::bigint AND $2::bigint)) "
    "    AND r.input_data_ids IS NOT NULL AND r.block_time " +
    kAround +
    "), "
    "ends AS (SELECT o.id, o.block_time, l.tree_id, l.tx_hash, l.produces FROM links l "
    "  JOIN orphans o ON o.id = l.data_id "
    "  WHERE coalesce(abs(l.block_height - o.block_height) <= $3::bigint, true)) "
    "SELECT array_agg(id), array_agg(block_time), array_agg(tree_id), array_agg(coalesce(tx_hash, '')), "
    "array_agg(produces), count(*), min(block_time), max(block_time) "
    "FROM (SELECT DISTINCT ON (id) * FROM ends ORDER BY id, produces DESC, tree_id) best";

const std::string kMoveData =
    "WITH best AS MATERIALIZED (SELECT id, block_time, tree_id, nullif(tx_hash, '') AS tx_hash, produces "
    "  FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::boolean[]) "
    "  AS best (id, block_time, tree_id, tx_hash, produces)), "
    "moved AS (UPDATE data_receipts d SET tree_id = best.tree_id, tx_hash = best.tx_hash FROM best "
    "  WHERE d.data_id = best.id AND d.block_time = best.block_time "
    "    AND d.block_time BETWEEN $6::timestamptz AND $7::timestamptz "
    "    AND (d.tree_id <> best.tree_id OR d.tx_hash IS DISTINCT FROM best.tx_hash) "
    "  RETURNING d.tx_hash, d.block_time, d.block_height, d.is_promise_resume), "
    "late AS (" +
    late_by_resumes("moved") +
    "), "
    "settled AS (UPDATE orphan_receipts o SET adopted_at = now(), adopted_into = best.tree_id, "
    "  adopted_tx_hash = best.tx_hash FROM best WHERE o.kind = 'data' AND o.id = best.id AND best.produces "
    "RETURNING 1) "
    "SELECT count(*) FROM settled";

std::uint64_t adopt_data(pqxx::transaction_base& tx, const Slice& slice, Orphans only) {
    const auto found =
        shim::query(tx, kFindDataTrees, slice.heights.from, slice.heights.to, kSeamReach, std::string("data"),
                    slice.around.since, slice.seam, array_of(only), slice.around.until)[0];
    if (found[5].as<std::uint64_t>() == 0) return 0;
    const auto column = [&found](int at) { return found[at].as<std::string>(); };
    return shim::query(tx, kMoveData, column(0), column(1), column(2), column(3), column(4), column(6),
                       column(7))[0][0]
        .as<std::uint64_t>();
}

std::vector<std::string> orphans_around(pqxx::connection& connection, base::HeightRange around) {
    const auto reach = chain::with_reach_around(around);
    pqxx::work tx(connection);
    return texts_of(shim::query(tx,
                                "SELECT id FROM orphan_receipts WHERE adopted_at IS NULL "
                                "AND block_height BETWEEN $1 AND $2 ORDER BY block_height, id",
                                reach.from, reach.to));
}

std::uint64_t adopt(pqxx::connection& connection, base::HeightRange around, Orphans only) {
    pqxx::work tx(connection);
    lock_adoption(tx);
    // Rows just written have no statistics yet: a nested loop over them would take minutes, and sorting
    // hundreds of thousands of orphans for the few children of a seam most of a second.
    tx.exec("SET LOCAL enable_nestloop = off; SET LOCAL enable_mergejoin = off");
    const auto again = executed_again_around(tx, around);
    gather_executions(tx, again);
    move_late_rows(tx, around);
    std::uint64_t adopted = 0;
    const auto slices = orphan_slices(tx, around);
    for (const auto& slice : slices) adopted += adopt_receipts(tx, slice, only);
    for (const auto& slice : slices) adopted += adopt_data(tx, slice, only);
    settle_adopted(tx, around);
    name_executions(tx, again);
    tx.commit();
    return adopted;
}

}  // namespace

void lock_adoption(pqxx::transaction_base& tx) { take_lock(tx, "adoption"); }

base::Task<void> PgOrphanStore::adopt_orphans(base::HeightRange around) {
    return database_.pool.adopting.run([&database = database_, around](pqxx::connection& connection) {
        std::uint64_t adopted = 0;
        const auto adopt_some = [&](Orphans some) { adopted += adopt(connection, around, some); };
        const auto list = [&] { return orphans_around(connection, around); };
        const auto leave = [](const std::string&, const Refusal&) {};  // it stays an orphan
        database.set_aside.together(Aside::orphan, list, std::identity(), adopt_some, leave);
        database.series.adopted.Increment(static_cast<double>(adopted));
    });
}

base::Task<std::vector<std::string>> PgOrphanStore::announced_below(base::Height height) {
    return database_.pool.following.transaction([height](pqxx::work& tx) {
        const auto heights = chain::reach_below(height);
        const auto times = times_of_blocks(tx, heights);
        if (!times) return std::vector<std::string>();
        const auto meanwhile = between("block_time", 3);
        return texts_of(shim::query(
            tx,
            "WITH announced AS (SELECT unnest(receipt_ids || output_data_ids) AS id FROM receipts "
            "  WHERE block_height BETWEEN $1 AND $2 AND " +
                meanwhile +
                "  UNION ALL SELECT initial_receipt_id FROM transactions WHERE initial_receipt_id IS NOT "
                "NULL AND block_height BETWEEN $1 AND $2 AND " +
                meanwhile + ") SELECT id FROM announced EXCEPT SELECT receipt_id FROM receipts WHERE " +
                meanwhile,
            heights.from, heights.to, times->since, times->until));
    });
}

base::Task<std::vector<chain::Seam>> PgOrphanStore::pending_seams(std::chrono::seconds untouched_for) {
    return database_.pool.adopting.transaction([untouched_for](pqxx::work& tx) {
        std::vector<chain::Seam> found;
        for (const auto& row : shim::query(tx,
                                           "SELECT from_height, to_height, history FROM pending_seams "
                                           "WHERE touched_at <= now() - $1 * interval '1 second' ORDER BY 1",
                                           untouched_for.count()))
            found.push_back({row[0].as<base::Height>(), row[1].as<base::Height>(), row[2].as<bool>()});
        return found;
    });
}

base::Task<void> PgOrphanStore::forget_seam(chain::Seam seam) {
    return database_.pool.adopting.transaction([seam](pqxx::work& tx) {
        shim::query(tx, "DELETE FROM pending_seams WHERE from_height = $1 AND to_height = $2", seam.from,
                    seam.to);
    });
}

}  // namespace receiptd::storage
