// Removes a stored block that is not of this chain, as if it had never been stored.
#pragma once

#include "base/height_set.hpp"
#include "chain/rows/rows.hpp"
#include "storage/corrections.hpp"

#include <pqxx/transaction_base>

#include <string>
#include <vector>

namespace receiptd::storage {

// Deletes the rows of the block at `height`, and takes its height and the skipped ones below it from
// coverage. Trees that it was a part of lose their results and findings: they are judged again when the
// height is stored anew, or when they are fetched again (source rpc), and what was told of them and does not
// hold is taken back then (corrections.hpp). Ends of watches are taken back at once.
struct RemovedBlock {
    base::HeightSet missing;  // heights that are not stored now; empty: none was stored there
    bool is_told = false;     // there are alerts
};
RemovedBlock remove_block(pqxx::transaction_base& tx, base::Height height);

// Trees that have lost rows of a block lose their results and findings, as there.
void forget_judgements(pqxx::transaction_base& tx, const std::vector<std::string>& trees,
                       const LostBlock& block);

// For the transaction of `batch`, when it has written to coverage: whether a tree that the batch judges has
// lost a block. Who judged it may have seen the rows that were removed.
bool judges_trees_of_removed_blocks(pqxx::transaction_base& tx, const chain::RowBatch& batch);
// The trees are judged by what is stored instead: they are late.
void leave_judgements(chain::RowBatch& batch);

}  // namespace receiptd::storage
