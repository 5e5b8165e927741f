#include "app/stored_view.hpp"

#include "base/coroutine.hpp"

#include <utility>
#include <vector>

namespace receiptd::app {

base::Task<watch::TransactionView> stored_view(storage::WatchAccess& watches, storage::FindingStore& findings,
                                               std::string id) {
    const auto tree_id = co_await watches.tree_of(id);
    watch::StoredTransaction stored;
    stored.tx_hash = tree_id.value_or(id);
    stored.watch = co_await watches.watch(stored.tx_hash);
    stored.transitions = co_await watches.transitions(stored.tx_hash);
    std::vector<std::string> one{stored.tx_hash};
    auto trees = co_await watches.stored_trees(std::move(one));
    stored.tree = std::move(trees[stored.tx_hash]);
    auto filter = watch::findings_of(stored.tx_hash);
    stored.findings = co_await findings.list_findings(std::move(filter));
    if (!stored.tree.any()) stored.kept = co_await findings.kept(stored.tx_hash);
    auto view = watch::transaction_view(std::move(stored));
    watch::show_execution_with(view, id);
    co_return view;
}

}  // namespace receiptd::app
