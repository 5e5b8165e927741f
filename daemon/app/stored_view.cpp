#include "app/stored_view.hpp"

#include "base/coroutine.hpp"

#include <utility>
#include <vector>

namespace receiptd::app {

base::Task<watch::TransactionView> stored_view(storage::WatchAccess& watches, storage::FindingStore& findings,
                                               std::string id) {
    const auto tree_id = co_await watches.tree_of(id);
    const auto tx_hash = tree_id.value_or(id);
    auto watch = co_await watches.watch(tx_hash);
    auto transitions = co_await watches.transitions(tx_hash);
    std::vector<std::string> one{tx_hash};
    auto trees = co_await watches.stored_trees(std::move(one));
    storage::FindingFilter filter;
    filter.tx_hash = tx_hash;
    filter.limit = 1'000;
    auto found = co_await findings.list_findings(std::move(filter));
    co_return watch::transaction_view(tx_hash, {}, std::move(watch), std::move(transitions), trees[tx_hash],
                                      std::move(found));
}

}  // namespace receiptd::app
