// Trees of transactions, found by their hashes.
//
// tree_starts() (schema/30_receipt_tree.sql) tells when a tree begins; the rest of the tree lies within seven
// days from there.
#include "storage/stored_trees.hpp"

#include "storage/copy.hpp"
#include "storage/tree_load.hpp"

#include <functional>
#include <iterator>
#include <utility>

namespace receiptd::storage {
namespace {

struct Start {
    std::string tx_hash;
    std::int64_t day = 0;
    std::string since;
    std::string until;
};

std::vector<Start> starts(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes) {
    const auto rows = shim::query(tx,
                                  "SELECT tx_hash, floor(extract(epoch FROM since) / 86400)::bigint, since, "
                                  "since + interval '7 days' FROM tree_starts($1::text[]) ORDER BY since",
                                  text_array(tx_hashes));
    std::vector<Start> found;
    for (const auto& row : rows)
        found.push_back({row[0].as<std::string>(), row[1].as<std::int64_t>(), row[2].as<std::string>(),
                         row[3].as<std::string>()});
    return found;
}

void load_undecided(pqxx::transaction_base& tx, const std::vector<std::string>& trees, const TreeTimes& times,
                    std::map<std::string, StoredTree>& loaded) {
    for (const auto& row :
         shim::query(tx,
                     "SELECT tx_hash FROM findings WHERE tree_id = ANY (trees_of_hashes($1::text[])) "
                     "AND kind = 'undecided' "
                     "AND block_time BETWEEN $2::timestamptz AND $3::timestamptz",
                     text_array(trees), times.since, times.until))
        loaded[row[0].as<std::string>()].ended_undecided = true;
}

void load_reasons(pqxx::transaction_base& tx, std::map<std::string, StoredTree>& loaded) {
    std::vector<std::string> hashes;
    for (const auto& [tx_hash, tree] : loaded)
        if (!tree.untold.empty()) hashes.push_back(tx_hash);
    if (hashes.empty()) return;
    for (const auto& row : shim::query(tx,
                                       "SELECT tx_hash, block_height, reason FROM pending_trees "
                                       "WHERE tx_hash = ANY ($1::text[]) AND reason IS NOT NULL",
                                       text_array(hashes)))
        for (auto& listing : loaded.at(row[0].as<std::string>()).untold)
            if (listing.at.height == row[1].as<chain::BlockHeight>())
                listing.reason = row[2].as<std::string>();
}

std::map<std::string, StoredTree> load(pqxx::connection& connection,
                                       const std::vector<std::string>& tx_hashes) {
    std::map<std::string, StoredTree> loaded;
    shim::Snapshot tx(connection);
    const auto found = starts(tx, tx_hashes);
    // Trees of one day together: each question touches few partitions.
    for (auto first = found.begin(); first != found.end();) {
        auto last = first;
        std::vector<std::string> trees;
        for (; last != found.end() && last->day == first->day; ++last) trees.push_back(last->tx_hash);
        const TreeTimes times{first->since, std::prev(last)->until};
        auto some = load_trees(tx, trees, times);
        load_resumes(tx, times, some);
        load_data(tx, trees, times, some);
        load_contracts(tx, times, some);
        load_undecided(tx, trees, times, some);
        load_reasons(tx, some);
        loaded.merge(some);
        first = last;
    }
    return loaded;
}

}  // namespace

std::map<std::string, StoredTree> stored_trees(pqxx::connection& connection,
                                               const std::vector<std::string>& tx_hashes,
                                               SetAside& set_aside) {
    std::map<std::string, StoredTree> loaded;
    const auto read = [&](std::span<const std::string> some) {
        loaded.merge(load(connection, {some.begin(), some.end()}));
    };
    const auto leave = [&](const std::string& tx_hash, const Refusal&) { loaded[tx_hash].unreadable = true; };
    set_aside.apart(Aside::stored_tree, std::span(tx_hashes), std::identity(), read, leave);
    return loaded;
}

}  // namespace receiptd::storage
