#include "storage/told_again.hpp"

#include "storage/block_removal.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace receiptd::storage {
namespace {

struct Lost {
    std::string tree_id;
    base::Height height = 0;
    std::string time;
};

std::vector<Lost> keep_first(pqxx::transaction_base& tx, const std::string& trees, const TreeTimes& times) {
    std::vector<Lost> lost;
    for (const auto& row :
         shim::query(tx,
                     "SELECT tree, max(height), max(told_at) "
                     "FROM keep_first_tellings($1::text[], $2::timestamptz, $3::timestamptz) GROUP BY 1",
                     trees, times.since, times.until))
        lost.push_back({row[0].as<std::string>(), row[1].as<base::Height>(), row[2].as<std::string>()});
    return lost;
}

}  // namespace

bool keep_first_tellings(pqxx::transaction_base& tx, const std::string& trees, const TreeTimes& times) {
    const auto lost = keep_first(tx, trees, times);
    for (const auto& [tree_id, height, time] : lost) forget_judgements(tx, {tree_id}, {height, time});
    return !lost.empty();
}

void keep_first_rows(pqxx::transaction_base& tx, const std::string& trees, const TreeTimes& times) {
    keep_first(tx, trees, times);
}

bool is_told_again(const StoredTree& tree) {
    std::set<std::string_view> ids;
    const auto own = tree.transaction ? std::string_view(tree.transaction->tx_hash) : std::string_view();
    return std::ranges::any_of(tree.outcomes, [&](const auto& outcome) {
        return outcome.id != own && !ids.insert(outcome.id).second;
    });
}

}  // namespace receiptd::storage
