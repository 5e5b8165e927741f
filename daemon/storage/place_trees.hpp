// Stored trees become pending: pending_trees.
#pragma once

#include "storage/pqxx_shim.hpp"
#include "storage/tree_store.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::storage {

// SQL: a receipt of the tree of transaction `t` is announced, and not stored. `first`: number of the
// parameter, in microseconds, before which no such transaction lies; the next one is that after which none
// lies.
std::string lacks_receipts(int first);

// SQL: a column of that name lies within some time.
using Within = std::function<std::string(const std::string& time)>;

// SQL: trees of stored transactions become pending, if they are not. `stored_part` is that of pending_trees:
// "whole"; "rows", if receipts are missing; or empty. `where`: on t, the transaction, and b, its block.
std::string make_pending(std::string_view stored_part, const Within& within, const std::string& where,
                         const std::string& joins = "");

// See TreeStore::take_over_trees(), silent_trees() and place_silent_tree().
std::uint64_t place_unfinished(pqxx::transaction_base& tx, base::HeightRange ends);
std::vector<PendingTree> silent_trees(pqxx::transaction_base& tx, base::HeightRange included_in);
// Trees that lack receipts are fetched again, in the place of all that is stored of them.
void place_lacking(pqxx::transaction_base& tx, base::HeightRange included_in);
bool place_silent(pqxx::transaction_base& tx, const PendingTree& tree, const std::vector<ToldOutcome>& told,
                  const std::string& untold);

}  // namespace receiptd::storage
