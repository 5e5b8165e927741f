// Stored heights that lack rows of accounts, and the rows that fill them (docs/decisions/0061).
#pragma once

#include "base/height_set.hpp"
#include "base/task.hpp"
#include "chain/rows/rows.hpp"

#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

struct LackingAccounts {
    base::HeightSet heights;  // stored ones at which one of the accounts may lack rows
    // One of them may lack rows above these heights, too: trees that it touched there may go on.
    bool reach_above = false;
    std::vector<std::string> not_followed;
    base::Height since = 0;  // from this height on everything was stored with all of them
};

class AccountStore {
public:
    virtual ~AccountStore() = default;

    virtual base::Task<LackingAccounts> lacking(std::vector<std::string> accounts) = 0;
    virtual base::Task<std::vector<chain::BlockRef>> stored_blocks(base::HeightRange heights,
                                                                   unsigned limit) = 0;
    // One transaction: the rows that are not stored yet, of blocks that are, and that at `whole` the accounts
    // lack nothing any more. Nobody is told of them. False: a height is not stored any more; nothing was
    // written.
    virtual base::Task<bool> commit_rows_of(std::vector<std::string> accounts, chain::RowBatch batch,
                                            base::HeightSet whole) = 0;

    // The same of heights without a block.
    virtual base::Task<void> whole_at(std::vector<std::string> accounts, base::HeightSet heights) = 0;

    // Everything up to `last` was filled, and from there on stored with the accounts: they lack nothing
    // above, either, if no tree goes on there. `whole_trees`: trees were stored as a whole, wherever they go
    // on. Returns whether that is so.
    virtual base::Task<bool> settle_above(std::vector<std::string> accounts, base::Height last,
                                          bool whole_trees) = 0;
};

}  // namespace receiptd::storage
