// Fetches stored heights again for the rows of accounts that they were stored without (docs/decisions/0061).
//
// Whole blocks: the fill begins below, as trees run at its first height, and goes on above heights that were
// stored without the accounts until no tree goes on there. Source rpc: blocks name the transactions, and
// whole trees are fetched as after any block.
#pragma once

#include "follow/refetch.hpp"

#include <string>
#include <vector>

namespace receiptd::follow {

class AccountFill final : public Refetch {
public:
    struct Order {
        std::vector<std::string> accounts;
        base::HeightRange range;
    };
    AccountFill(Engine& engine, storage::AccountStore& store, Order order);

    bool goes_on_above() const override { return goes_on_above_; }

private:
    base::Task<base::HeightSet> look() override;
    base::Task<base::Height> begin(base::HeightRange stretch, base::Height stored_from) override;
    base::Task<bool> write(chain::RowBatch batch) override;
    void lost(base::Height height) override;
    base::Task<bool> is_over(base::Height last) override;
    base::Task<void> finish() override;
    base::Task<bool> settle(base::Height last);

    Order order_;
    base::Height since_ = 0;  // everything from here on was stored with the accounts
    bool goes_on_above_ = false;
    bool whole_below_ = false;
    base::Height whole_from_ = 0;  // lower heights were read for the trees that run
};

}  // namespace receiptd::follow
