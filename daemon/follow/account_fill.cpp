#include "follow/account_fill.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "base/offload.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

namespace receiptd::follow {
namespace {

constexpr unsigned kPage = 256;  // blocks
// Where everything below is whole, receipts on their way are known by what is stored; blocks below tell their
// parents. A yield waits for 200 blocks.
constexpr base::Height kParentsBelow = 256;

base::Height below(base::Height height, base::Height distance) {
    return height > distance ? height - distance : 0;
}

// The first height of the stored ones that lie without a gap below this one.
base::Height first_of_stretch(const base::HeightSet& covered, base::Height height) {
    for (const auto& range : covered.ranges())
        if (range.contains(height)) return range.from;
    return height;
}

base::Task<chain::RowBatch> rows_of(base::asio::thread_pool& cpu,
                                    std::unique_ptr<rpc::BlockContents> contents,
                                    rpc::BlockContents::RowsSettings settings) {
    auto work = [contents = std::move(contents), settings] { return contents->rows(settings); };
    return base::offload(cpu, std::move(work));
}

}  // namespace

AccountFill::AccountFill(Engine& engine, storage::AccountStore& store, Order order)
    : engine_(engine), store_(store), order_(std::move(order)) {
    const bool of_all = order_.accounts == std::vector<std::string>{"*"};
    scope_.kind = of_all ? chain::ScopeKind::all : chain::ScopeKind::accounts;
    scope_.accounts.insert(order_.accounts.begin(), order_.accounts.end());
}

FetchSettings AccountFill::fetch_settings() const {
    FetchSettings settings;
    settings.priority = rpc::Priority::backfill;
    settings.patience = engine_.patience;
    return settings;
}

base::Task<void> AccountFill::run() {
    while (!engine_.state.stop.requested()) {
        const bool more = co_await look();
        if (!more) break;
        const auto coverage = co_await engine_.stores.blocks.load_coverage();
        const auto stretches = left_.ranges();
        co_await fill(stretches.front(), coverage.covered);
    }
    if (!engine_.state.stop.requested()) co_await finish();
}

base::Task<bool> AccountFill::look() {
    const auto lacking = co_await store_.lacking(order_.accounts);
    auto range = order_.range;
    since_ = lacking.since;
    // Trees cross into what was stored with the accounts; those of source rpc are whole wherever they go on.
    if (range.to + 1 >= since_ && whole_blocks()) range.to = base::kTopHeight;
    left_ = lacking.heights.within(range);
    left_.subtract(tried_);
    co_return !left_.empty();
}

base::Task<void> AccountFill::fill(base::HeightRange stretch, const base::HeightSet& covered) {
    const auto lacking = co_await store_.lacking(order_.accounts);
    const auto begin = first_of_stretch(covered, stretch.from);
    whole_below_ = stretch.from > begin && !lacking.heights.contains(stretch.from - 1);
    auto from = stretch.from;
    if (whole_blocks()) {
        const auto distance = whole_below_ ? kParentsBelow : chain::kSeamReach;
        from = std::max(begin, below(stretch.from, distance));
    }
    lineage_ = chain::Lineage();
    live_trees_ = chain::LiveTrees();
    if (whole_blocks() && from > begin) {
        const auto ids = co_await engine_.stores.orphans.announced_below(from);
        lineage_.hold_in_scope(ids);
    }
    stretch_ = stretch;
    whole_from_ = std::max(whole_from_, stretch.from);
    done_below_ = stretch.from;
    window_.emplace(engine_.executor, engine_.source, engine_.state, fetch_settings());
    std::exception_ptr failure;
    try {
        const base::HeightRange read{from, stretch.to};
        auto page = co_await store_.stored_blocks(read, kPage);
        while (!page.empty() && !engine_.state.stop.requested()) {
            std::vector<chain::BlockRef> next;
            const base::HeightRange rest{page.back().height + 1, stretch.to};
            if (rest.from <= rest.to) next = co_await store_.stored_blocks(rest, kPage);
            co_await fill_page(page, next);
            bool is_over = false;
            if (page.back().height + 1 >= since_) is_over = co_await settle(page.back().height);
            if (is_over) break;
            page = std::move(next);
        }
        if (!engine_.state.stop.requested()) {
            if (done_below_ <= stretch.to) batch_.facts.covered.add({done_below_, stretch.to});
            co_await commit();
        }
    } catch (...) {
        failure = std::current_exception();
    }
    co_await window_->close();
    window_.reset();
    if (!engine_.state.stop.requested()) tried_.add(stretch);
    if (failure) std::rethrow_exception(failure);
}

base::Task<void> AccountFill::fill_page(const std::vector<chain::BlockRef>& blocks,
                                        const std::vector<chain::BlockRef>& next) {
    std::vector<base::Height> ahead;
    for (const auto* page : {&blocks, &next})
        for (const auto& block : *page) ahead.push_back(block.height);
    std::size_t started = 0;
    for (std::size_t i = 0; i < blocks.size() && !engine_.state.stop.requested(); ++i) {
        for (; started < ahead.size() && started < i + engine_.fetch_ahead; ++started)
            window_->start(ahead[started]);
        co_await take(blocks[i]);
        const bool full =
            batch_.facts.blocks.size() >= engine_.batch_blocks || batch_.bytes() >= engine_.batch_bytes;
        if (full) co_await commit();
    }
}

base::Task<void> AccountFill::take(const chain::BlockRef& block) {
    auto result = co_await window_->take(block.height);
    if (!result) co_return;
    auto* contents = std::get_if<std::unique_ptr<rpc::BlockContents>>(&*result);
    if (contents == nullptr) {
        std::string why = "no host has this block any more";
        if (const auto* fault = std::get_if<rpc::Unavailable>(&*result))
            why = fault->reason + ": " + fault->detail;
        co_await give_up(block.height, std::move(why));
        co_return;
    }
    if (chain::block_ref((*contents)->block().header).hash != block.hash) {
        co_await give_up(block.height, (*contents)->host + " told another block than the stored one");
        co_return;
    }
    if (whole_blocks() && !(*contents)->tells_outcomes()) {
        co_await give_up(block.height, (*contents)->host + " told no outcomes");
        co_return;
    }
    co_await keep(block, std::move(*contents));
}

base::Task<void> AccountFill::keep(const chain::BlockRef& block,
                                   std::unique_ptr<rpc::BlockContents> contents) {
    const rpc::BlockContents::RowsSettings settings{block.prev_height, scope_, lineage_, live_trees_, false};
    auto rows = co_await rows_of(engine_.cpu, std::move(contents), settings);
    if (block.height < stretch_.from) co_return;  // it was read for the trees that run
    rows.facts.covered = base::HeightSet({done_below_, block.height});
    rows.facts.seen = {};
    rows.facts.seen.history = true;
    rows.facts.tell_outcomes = whole_blocks();
    rows.withhold_before(engine_.state.news_since(true));
    done_below_ = block.height + 1;
    batch_.append(std::move(rows));
}

// It is not known which of the trees go on above.
base::Task<void> AccountFill::give_up(base::Height height, std::string why) {
    log::warn(
        "a stored height could not be had again: accounts that it was stored without are not whole there",
        {{"height", height}, {"because", why}});
    co_await commit();
    const bool is_of_stretch = height >= stretch_.from;
    if (is_of_stretch) {
        not_had_.add({done_below_, height});
        done_below_ = height + 1;
    }
    if (whole_blocks() && (is_of_stretch || !whole_below_))
        whole_from_ = std::max(whole_from_, height + 1 + chain::kSeamReach);
}

base::Task<void> AccountFill::commit() {
    auto batch = std::exchange(batch_, {});
    if (batch.facts.covered.empty()) co_return;
    const auto covered = batch.facts.covered;
    auto whole = covered.within(base::HeightRange{whole_from_, base::kTopHeight});
    whole.subtract(not_had_);
    if (batch.facts.blocks.empty()) {
        co_await store_.whole_at(order_.accounts, std::move(whole));
    } else {
        const bool stored =
            co_await store_.commit_rows_of(order_.accounts, std::move(batch), std::move(whole));
        if (!stored) not_had_.add(covered);
    }
    left_.subtract(covered);
    last_ = std::max(last_, *covered.last());
    engine_.state.heights.changed.notify_all();
}

// Whether the accounts lack nothing above, either.
base::Task<bool> AccountFill::settle(base::Height last) {
    if (last < stretch_.from || engine_.state.stop.requested()) co_return false;
    co_await commit();
    if (!not_had_.empty()) co_return false;
    const auto lacking = co_await store_.lacking(order_.accounts);
    if (!lacking.heights.within(base::HeightRange{below(last, chain::kSeamReach), last}).empty())
        co_return false;
    co_return co_await store_.settle_above(order_.accounts, last, !whole_blocks());
}

base::Task<void> AccountFill::finish() {
    goes_on_above_ = false;
    if (order_.range.to + 1 < since_ || !not_had_.empty()) co_return;
    const auto end = std::max(last_, since_ > 0 ? since_ - 1 : 0);
    const bool settled = co_await settle(end);
    if (settled) co_return;
    const auto lacking = co_await store_.lacking(order_.accounts);
    const base::HeightRange reach{below(end, chain::kSeamReach), end};
    goes_on_above_ = lacking.reach_above && lacking.heights.within(reach).empty();
}

}  // namespace receiptd::follow
