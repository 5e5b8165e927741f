// Trees as the tables have them, to be judged.
#pragma once

#include "chain/tree/receipt_tree.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/watch_store.hpp"

#include <map>
#include <string>
#include <vector>

namespace receiptd::storage {

// Timestamps between which all rows of the trees lie, as PostgreSQL writes them: what keeps other
// partitions out.
struct TreeTimes {
    std::string since;
    std::string until;
};

// The times of all rows of these trees, and of the resumes of their yields, however far apart they lie; a
// week more on both sides. Where nothing is stored, no time at all.
TreeTimes whole_times(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes);

// Trees for one call of load_trees().
inline constexpr std::size_t kTreesAtOnce = 200;

// Reads the facts that judging needs, by tx_hash: of all executions. A receipt whose block is unknown has no
// place.
std::map<std::string, StoredTree> load_trees(pqxx::transaction_base& tx,
                                             const std::vector<std::string>& trees, const TreeTimes& times);
// Adds how the yields ended that ran, whatever tree their resumes are stored under.
void load_resumes(pqxx::transaction_base& tx, const TreeTimes& times,
                  std::map<std::string, StoredTree>& loaded);
// Both: all that the rules look at.
std::map<std::string, StoredTree> load_to_judge(pqxx::transaction_base& tx,
                                                const std::vector<std::string>& trees,
                                                const TreeTimes& times);
// Adds all data receipts of the trees, which tell what is waited for, too.
void load_data(pqxx::transaction_base& tx, const std::vector<std::string>& trees, const TreeTimes& times,
               std::map<std::string, StoredTree>& loaded);
// Adds the global contracts that the trees deployed.
void load_contracts(pqxx::transaction_base& tx, const TreeTimes& times,
                    std::map<std::string, StoredTree>& loaded);

}  // namespace receiptd::storage
