// Heights that must have a block which the source does not tell: other hosts are asked, and what no host has
// is a gap.
#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "base/offload.hpp"
#include "follow/commit_listener.hpp"
#include "follow/pipeline.hpp"
#include "metrics/registry.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::follow {
namespace {

constexpr std::size_t kFilledAtOnce = 64;  // they are held until the lowest is there

}  // namespace

std::string Run::no_host_has(const chain::BlockRef& child) {
    return "block " + std::to_string(child.height) + " shows that it is not skipped, but no host has it";
}

// `child`: the next block above the holes; nullopt: none is known.
base::Task<void> Run::fill(base::HeightSet holes, const std::optional<chain::BlockRef>& child,
                           std::string detail) {
    Blocks found;
    if (child && !holes.empty() && !engine_.state.stop.requested())
        found = co_await parents_elsewhere(holes, *child);
    if (!found.empty()) co_await flush();
    for (auto& contents : found) {
        const auto ref = chain::block_ref(contents->block().header);
        holes.subtract({ref.prev_height.value_or(ref.height - 1) + 1, ref.height});
        co_await store_filled(std::move(contents));
    }
    co_await give_up(holes, std::move(detail));
}

// Each is proven by the hash that the block above it names. In ascending order.
base::Task<Run::Blocks> Run::parents_elsewhere(const base::HeightSet& holes, const chain::BlockRef& child) {
    Blocks found;
    auto above = child;
    while (found.size() < kFilledAtOnce && !engine_.state.stop.requested()) {
        const auto height = above.prev_height.value_or(above.height - 1);
        if (!claims_.still_missing(holes).contains(height)) break;
        auto result = co_await engine_.source.fetch_elsewhere(height, settings_.priority, with_chunks());
        auto* contents = std::get_if<std::unique_ptr<rpc::BlockContents>>(&result);
        if (contents == nullptr) break;
        auto ref = chain::block_ref((*contents)->block().header);
        if (ref.hash != above.prev_hash) {
            engine_.agreement.doubt((*contents)->host);
            break;
        }
        above = std::move(ref);
        found.push_back(std::move(*contents));
    }
    std::reverse(found.begin(), found.end());
    co_return found;
}

// Whole blocks give pending trees for transactions without an outcome only.
void Run::outcomes_left_out(const chain::RowBatch& rows, const std::string& host) {
    const auto count = rows[chain::Table::pending_trees].rows;
    if (count == 0) return;
    const auto height = rows.facts.blocks.back().height;
    engine_.state.left_out.outcomes(count, height, engine_.state.clock.steady());
    engine_.state.series.left_out_outcomes.Increment(static_cast<double>(count));
    log::warn("a block lacks the outcomes of transactions: their trees are asked for elsewhere",
              {{"height", height}, {"host", host}, {"transactions", count}});
}

// A batch of its own: from this block the trees of its transactions are fetched, and so are those that went
// on in it.
base::Task<void> Run::store_filled(std::unique_ptr<rpc::BlockContents> contents) {
    const auto ref = chain::block_ref(contents->block().header);
    const auto host = contents->host;
    const auto scope = scope_for(*contents);
    const auto scope_serial = engine_.scope_serial;
    const auto lowest = ref.prev_height ? *ref.prev_height + 1 : ref.height;
    // Else the trees that go on here are pending already.
    const bool follows_outcomes = !engine_.state.heights.coverage().without_outcomes.contains(lowest - 1);
    const rpc::BlockContents::RowsSettings settings{ref.prev_height, scope, lineage_, live_trees_, true};
    auto work = [contents = std::move(contents), settings] { return contents->rows(settings); };
    auto rows = co_await base::offload(engine_.cpu, std::move(work));
    auto& facts = rows.facts;
    if (lowest < ref.height)
        facts.covered.add(claims_.still_missing(base::HeightSet({lowest, ref.height - 1})));
    facts.scope_serial = scope_serial;
    facts.hosts.insert(host);
    facts.seen.history = is_history();
    facts.tell_outcomes = false;
    const chain::Seam seam{ref.height, ref.height, is_history()};
    facts.seam = seam;
    if (!settings_.to) facts.wanted.add({settings_.from, ref.height});
    if (!is_history()) facts.epoch = engine_.epoch;
    rows.withhold_before(engine_.state.news_from(ref, is_history()));
    engine_.state.left_out.block(ref.height, engine_.state.clock.steady());
    engine_.state.series.left_out_blocks.Increment();
    const auto level = follows_outcomes ? log::Level::warn : log::Level::debug;
    log::write(level, "the source left a block out: it comes from another host",
               {{"height", ref.height}, {"host", host}});
    co_await engine_.writers.submit(std::move(rows));
    co_await engine_.writers.drain();
    const base::HeightRange here{ref.height, ref.height};
    if (follows_outcomes) co_await engine_.seams.take_over_below(here);
    co_await engine_.seams.forget(seam);
}

base::Task<void> Run::give_up(base::Height height, std::string reason, std::string detail) {
    auto& heights = engine_.state.heights;
    const auto record = heights.in_vain(height, std::move(reason), std::move(detail));
    // Said once; that it is still so is in status, readyz and the metrics.
    const auto level = record.attempts == 1 ? log::Level::warn : log::Level::debug;
    log::write(level, "height unavailable: recorded as a gap, to be retried",
               {{"height", height},
                {"reason", record.reason},
                {"detail", record.detail},
                {"attempts", record.attempts}});
    claims_.give_up(height);
    co_await engine_.stores.blocks.record_unavailable(record);
    heights.learn_unavailable(record);
}

base::Task<void> Run::give_up(const base::HeightSet& holes, std::string detail) {
    const auto ours = claims_.still_missing(holes);
    for (const auto& range : ours.ranges()) {
        for (auto height = range.from; height <= range.to; ++height) {
            const auto fault = faults_.find(height);
            if (fault == faults_.end())
                co_await give_up(height, "UNKNOWN_BLOCK", detail);
            else
                co_await give_up(height, fault->second.reason, fault->second.detail);
        }
    }
    faults_.clear();
}

}  // namespace receiptd::follow
