// TreeStore on PostgreSQL.
#pragma once

#include "storage/database.hpp"
#include "storage/tree_store.hpp"

namespace receiptd::storage {

class PgTreeStore final : public TreeStore {
public:
    // `database` must outlive it.
    explicit PgTreeStore(Database& database) : database_(database) {}

    base::Task<LeftOutOutcomes> commit_tree(chain::TreeRows tree) override;
    base::Task<std::vector<PendingTree>> due_trees(unsigned limit, base::HeightRange included_in) override;
    base::Task<std::uint64_t> take_over_trees(base::HeightRange ends) override;
    base::Task<std::vector<PendingTree>> silent_trees(base::HeightRange included_in) override;
    base::Task<base::HeightSet> heights_to_replace() override;
    base::Task<bool> place_silent_tree(PendingTree tree, std::vector<ToldOutcome> told,
                                       std::string untold) override;
    base::Task<LateTrees> judge_late_trees(bool history, chain::NewsSince news_since) override;
    base::Task<void> hurry_late_trees() override;
    base::Task<void> make_late_across(base::Height from, bool history) override;
    base::Task<std::uint64_t> find_late_trees() override;
    base::Task<std::uint64_t> pending_tree_count(base::HeightRange included_in) override;
    base::Task<OverdueTrees> overdue_trees(std::chrono::seconds age) override;
    base::Task<chain::DecidedCounts> discard_tree(PendingTree tree, chain::NewsSince news_since) override;
    base::Task<void> postpone_tree(PendingTree tree, std::chrono::milliseconds delay,
                                   std::string reason) override;
    base::Task<void> await_receipts(PendingTree tree, std::chrono::milliseconds delay,
                                    std::vector<std::string> missing) override;
    base::Task<chain::DecidedCounts> settle_trees(base::HeightRange around,
                                                  chain::NewsSince news_since) override;

private:
    Database& database_;
};

}  // namespace receiptd::storage
