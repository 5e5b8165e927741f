#include "follow/account_fill.hpp"

#include "base/coroutine.hpp"
#include "chain/tree/facts.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::follow {
namespace {

// Where everything below is whole, receipts on their way are known by what is stored; blocks below tell their
// parents. A yield waits for 200 blocks.
constexpr base::Height kParentsBelow = 256;

chain::Scope scope_of_accounts(const std::vector<std::string>& accounts) {
    chain::Scope scope;
    const bool of_all = accounts == std::vector<std::string>{"*"};
    scope.kind = of_all ? chain::ScopeKind::all : chain::ScopeKind::accounts;
    scope.accounts.insert(accounts.begin(), accounts.end());
    return scope;
}

}  // namespace

AccountFill::AccountFill(Engine& engine, storage::AccountStore& store, Order order)
    : Refetch(engine, store, scope_of_accounts(order.accounts)), order_(std::move(order)) {}

base::Task<base::HeightSet> AccountFill::look() {
    const auto lacking = co_await store_.lacking(order_.accounts);
    auto range = order_.range;
    since_ = lacking.since;
    // Trees cross into what was stored with the accounts; those of source rpc are whole wherever they go on.
    if (range.to + 1 >= since_ && whole_blocks()) range.to = base::kTopHeight;
    co_return lacking.heights.within(range);
}

base::Task<base::Height> AccountFill::begin(base::HeightRange stretch, base::Height stored_from) {
    const auto lacking = co_await store_.lacking(order_.accounts);
    whole_below_ = stretch.from > stored_from && !lacking.heights.contains(stretch.from - 1);
    whole_from_ = std::max(whole_from_, stretch.from);
    if (!whole_blocks()) co_return stretch.from;
    const auto distance = whole_below_ ? kParentsBelow : chain::kSeamReach;
    const auto from = std::max(stored_from, base::below(stretch.from, distance));
    if (from > stored_from) {
        const auto ids = co_await engine_.stores.orphans.announced_below(from);
        lineage_.hold_in_scope(ids);
    }
    co_return from;
}

base::Task<bool> AccountFill::write(chain::RowBatch batch) {
    auto whole = batch.facts.covered.within(base::HeightRange{whole_from_, base::kTopHeight});
    whole.subtract(not_had_);
    if (batch.facts.blocks.empty()) {
        co_await store_.whole_at(order_.accounts, std::move(whole));
        co_return true;
    }
    co_return co_await store_.commit_rows_of(order_.accounts, std::move(batch), std::move(whole));
}

void AccountFill::lost(base::Height height) {
    if (whole_blocks() && (height >= stretch().from || !whole_below_))
        whole_from_ = std::max(whole_from_, height + 1 + chain::kSeamReach);
}

base::Task<bool> AccountFill::is_over(base::Height last) {
    if (last + 1 < since_) co_return false;
    co_return co_await settle(last);
}

// Whether the accounts lack nothing above, either.
base::Task<bool> AccountFill::settle(base::Height last) {
    if (last < stretch().from || engine_.state.stop.requested()) co_return false;
    co_await commit();
    if (!not_had_.empty()) co_return false;
    const auto lacking = co_await store_.lacking(order_.accounts);
    if (!lacking.heights.within(chain::with_reach_below({last, last})).empty()) co_return false;
    co_return co_await store_.settle_above(order_.accounts, last, !whole_blocks());
}

base::Task<void> AccountFill::finish() {
    goes_on_above_ = false;
    if (order_.range.to + 1 < since_ || !not_had_.empty()) co_return;
    const auto end = std::max(last_, since_ > 0 ? since_ - 1 : 0);
    const bool settled = co_await settle(end);
    if (settled) co_return;
    const auto lacking = co_await store_.lacking(order_.accounts);
    goes_on_above_ =
        lacking.reach_above && lacking.heights.within(chain::with_reach_below({end, end})).empty();
}

}  // namespace receiptd::follow
