// A recorded transaction with its outcomes, and what a node would have said of it at some height.
#pragma once

#include "sandbox/gateway/chain.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::sandbox {

struct TreeOutcome {
    std::string_view json;         // OutcomeWithId
    std::optional<Height> height;  // of the executing block; nullopt: that block is not recorded
};

// Views point into `texts` or into what the maker keeps alive.
struct ExecutionTree {
    std::vector<std::shared_ptr<const std::string>> texts;
    std::string_view recorded;  // the whole recorded result; empty: put together from blocks
    std::string_view transaction;
    std::optional<TreeOutcome> transaction_outcome;
    std::vector<TreeOutcome> receipts_outcome;
    std::optional<std::vector<std::string_view>> receipts;  // bodies; nullopt: not recorded
};

// From the recorded result of `tx` or EXPERIMENTAL_tx_status. `height_of` knows the heights of
// recorded blocks by hash.
using HeightOf = std::function<std::optional<Height>(std::string_view)>;
ExecutionTree read_tree(std::string_view result, const HeightOf& height_of);

// nullopt: no block up to `tip` holds the transaction.
std::optional<TransactionView> view_at(const ExecutionTree& tree, Height tip);

}  // namespace receiptd::sandbox
