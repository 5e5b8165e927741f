#include "follow/refetch.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "base/offload.hpp"
#include "storage/errors.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

namespace receiptd::follow {
namespace {

constexpr unsigned kAskedForTheStoredBlock = 5;  // times, where the hosts doubt who told another one

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

FetchSettings Refetch::fetch_settings() const {
    FetchSettings settings;
    settings.priority = rpc::Priority::backfill;
    settings.patience = engine_.patience;
    return settings;
}

base::Task<std::vector<chain::BlockRef>> Refetch::blocks_of(base::HeightRange heights) {
    return store_.stored_blocks(heights, kPage);
}

base::Task<bool> Refetch::is_over(base::Height) { co_return false; }

base::Task<void> Refetch::run() {
    while (!engine_.state.stop.requested()) {
        left_ = co_await look();
        left_.subtract(tried_);
        if (left_.empty()) break;
        const auto coverage = co_await engine_.stores.blocks.load_coverage();
        stretch_ = left_.ranges().front();
        lineage_ = chain::Lineage();
        live_trees_ = chain::LiveTrees();
        const auto from = co_await begin(stretch_, first_of_stretch(coverage.covered, stretch_.from));
        const base::HeightRange heights{from, stretch_.to};
        co_await read(heights);
    }
    if (!engine_.state.stop.requested()) co_await finish();
}

base::Task<void> Refetch::read(base::HeightRange heights) {
    done_below_ = stretch_.from;
    window_.emplace(engine_.executor, engine_.source, engine_.state, fetch_settings());
    std::exception_ptr failure;
    try {
        auto page = co_await blocks_of(heights);
        while (!page.empty() && !engine_.state.stop.requested()) {
            std::vector<chain::BlockRef> next;
            const base::HeightRange rest{page.back().height + 1, heights.to};
            if (rest.from <= rest.to) next = co_await blocks_of(rest);
            co_await read_page(page, next);
            bool over = false;
            if (!engine_.state.stop.requested()) over = co_await is_over(page.back().height);
            if (over) break;
            page = std::move(next);
        }
        if (!engine_.state.stop.requested()) {
            if (done_below_ <= stretch_.to) batch_.facts.covered.add({done_below_, stretch_.to});
            co_await commit();
        }
    } catch (...) {
        failure = std::current_exception();
    }
    co_await window_->close();
    window_.reset();
    if (!engine_.state.stop.requested()) tried_.add(stretch_);
    if (failure) std::rethrow_exception(failure);
}

base::Task<void> Refetch::read_page(const std::vector<chain::BlockRef>& blocks,
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

base::Task<void> Refetch::take(const chain::BlockRef& block) {
    std::string why;
    for (unsigned asked = 1; asked <= kAskedForTheStoredBlock; ++asked) {
        window_->start(block.height);
        auto result = co_await window_->take(block.height);
        if (!result) co_return;
        auto* contents = std::get_if<std::unique_ptr<rpc::BlockContents>>(&*result);
        if (contents == nullptr) {
            why = "no host has this block any more";
            if (const auto* fault = std::get_if<rpc::Unavailable>(&*result))
                why = fault->reason + ": " + fault->detail;
            break;
        }
        if (chain::block_ref((*contents)->block().header).hash == block.hash) {
            if (!whole_blocks() || (*contents)->tells_outcomes()) {
                co_await keep(block, std::move(*contents));
                co_return;
            }
            why = (*contents)->host + " told no outcomes";
            break;
        }
        why = (*contents)->host + " told another block than the stored one";
        const auto judgement = co_await engine_.agreement.about_stored(block);
        why += "; " + judgement.said;
        if (judgement.wrong != Wrong::offered) break;
        engine_.agreement.doubt((*contents)->host);
    }
    co_await give_up(block.height, std::move(why));
}

base::Task<void> Refetch::keep(const chain::BlockRef& block, std::unique_ptr<rpc::BlockContents> contents) {
    const auto parent = chain::block_ref(contents->block().header).prev_height;
    const rpc::BlockContents::RowsSettings settings{block.prev_height, scope_, lineage_, live_trees_, false};
    auto rows = co_await rows_of(engine_.cpu, std::move(contents), settings);
    if (block.height < stretch_.from) co_return;  // it was read for the trees that run
    if (parent && *parent >= done_below_) lack_stored(*parent);
    rows.facts.covered = base::HeightSet({done_below_, block.height});
    rows.facts.seen = {};
    rows.facts.seen.history = true;
    rows.facts.tell_outcomes = whole_blocks();
    rows.withhold_before(engine_.state.news_since(true));
    done_below_ = block.height + 1;
    batch_.append(std::move(rows));
}

void Refetch::lack_stored(base::Height parent) {
    log::warn("a block is not stored, though its height is: `receiptd repair` has the height fetched anew",
              {{"height", parent}});
    not_had_.add({done_below_, parent});
    done_below_ = parent + 1;
}

// It is not known which of the trees go on above.
base::Task<void> Refetch::give_up(base::Height height, std::string why) {
    log::warn("a stored height could not be had again", {{"height", height}, {"because", why}});
    co_await commit();
    if (height >= stretch_.from) {
        not_had_.add({done_below_, height});
        done_below_ = height + 1;
    }
    lost(height);
}

base::Task<void> Refetch::commit() {
    auto batch = std::exchange(batch_, {});
    if (batch.facts.covered.empty()) co_return;
    const auto covered = batch.facts.covered;
    bool written = false;
    try {
        written = co_await write(std::move(batch));
    } catch (const storage::StorageRefused& e) {
        log::error("the database does not take rows of stored heights that were fetched again",
                   {{"heights", covered.to_multirange()}, {"because", e.what()}});
    }
    if (!written) not_had_.add(covered);
    left_.subtract(covered);
    last_ = std::max(last_, *covered.last());
    engine_.state.heights.changed.notify_all();
}

}  // namespace receiptd::follow
