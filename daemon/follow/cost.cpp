#include "follow/cost.hpp"

#include "chain/tree/receipt_tree.hpp"
#include "follow/tree_progress.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::follow {
namespace {

// A table needs the bytes that COPY brings; its indexes need that much for each row (measured by ./dev bench
// plan, docs/performance.md).
constexpr double index_bytes_per_row(chain::Table table) {
    switch (table) {
        case chain::Table::blocks: return 110;
        case chain::Table::chunks: return 40;
        case chain::Table::transactions: return 260;
        case chain::Table::receipts: return 310;
        case chain::Table::data_receipts: return 240;
        case chain::Table::events: return 60;
        case chain::Table::transaction_results: return 180;
        case chain::Table::findings: return 370;
        case chain::Table::global_contract_distributions: return 300;
        case chain::Table::orphan_receipts:
        case chain::Table::pending_trees: break;
    }
    return 0;
}
// An alert and a line of the stream, with their indexes.
constexpr double kBytesToTellAFinding = 1'300;
constexpr double kSecondsADay = 86'400;
constexpr std::uint64_t kMostAsks = 1'000;  // of a tree whose last height is far away

template <class Samples, class Value>
double mean(const Samples& samples, Value&& value) {
    if (samples.empty()) return 0;
    double sum = 0;
    for (const auto& sample : samples) sum += static_cast<double>(value(sample));
    return sum / static_cast<double>(samples.size());
}

double bytes_on_disk(const SampledRows& rows, chain::Table table) {
    const double beside =
        index_bytes_per_row(table) + (table == chain::Table::findings ? kBytesToTellAFinding : 0);
    return static_cast<double>(rows.bytes) + static_cast<double>(rows.rows) * beside;
}

// Rows that leave when their tree is stored are no cost of disk.
bool stays(chain::Table table) {
    return table != chain::Table::pending_trees && table != chain::Table::orphan_receipts;
}

// When the last data comes that the tree waits for.
base::Height resumed_at(const rpc::TreeSource::Tree& tree, const NextAsk& next,
                        const std::vector<std::pair<chain::Outcome, base::Height>>& outcomes) {
    base::Height at = next.at;
    chain::for_each_receipt(tree.status.value, tree.others(), [&](const chain::Receipt& body) {
        const auto waits = [&](chain::Text data_id) {
            return std::find(next.waits_for_data.begin(), next.waits_for_data.end(), data_id) !=
                   next.waits_for_data.end();
        };
        if (!std::any_of(body.input_data_ids.begin(), body.input_data_ids.end(), waits)) return;
        for (const auto& [outcome, height] : outcomes)
            if (outcome.id == body.receipt_id) at = std::min(at, height);
    });
    return at;
}

}  // namespace

SampledTables sampled_tables(const chain::RowBatch& batch) {
    SampledTables sampled{};
    for (std::size_t i = 0; i < chain::kTableCount; ++i) {
        const auto table = static_cast<chain::Table>(i);
        if (stays(table)) sampled[i] = {batch[table].rows, batch[table].bytes()};
    }
    return sampled;
}

std::uint64_t asks_for_tree(rpc::TreeSource::Tree tree, base::Height included_in,
                            const std::vector<base::Height>& executed_at) {
    auto& shown = tree.status.value.receipts_outcome;
    std::vector<std::pair<chain::Outcome, base::Height>> all;
    for (std::size_t i = 0; i < shown.size(); ++i) all.emplace_back(std::move(shown[i]), executed_at[i]);
    Progress progress;
    auto now = first_ask(included_in, false).at;
    std::size_t told = 0;
    for (std::uint64_t asks = 1;; ++asks) {
        shown.clear();
        for (const auto& [outcome, height] : all)
            if (height <= now + kSeenAhead) shown.push_back(outcome);
        if (shown.size() == all.size() || asks == kMostAsks) return asks;
        progress.answers_alike = shown.size() > told || asks == 1 ? 1 : progress.answers_alike + 1;
        told = shown.size();
        const auto next = next_ask(waits_of(tree), progress, now);
        now = std::max(now + 1, resumed_at(tree, next, all));
    }
}

Cost cost_of(const Sample& sample) {
    Cost cost;
    if (sample.blocks.empty() || sample.seconds_per_height <= 0) return cost;
    const auto trees = mean(sample.blocks, [](const auto& block) { return block.trees; });
    cost.head = sample.polls_per_height;
    cost.block = mean(sample.blocks, [](const auto& block) { return block.requests; });
    cost.tree = trees * mean(sample.trees, [](const auto& tree) { return tree.asks + tree.requests; });
    cost.requests_a_second = (cost.head + cost.block + cost.tree) / sample.seconds_per_height;
    cost.requests_a_day = cost.requests_a_second * kSecondsADay;
    for (std::size_t i = 0; i < chain::kTableCount; ++i) {
        const auto bytes = [i](const auto& of) {
            return bytes_on_disk(of.tables[i], static_cast<chain::Table>(i));
        };
        const auto a_height = mean(sample.blocks, bytes) + trees * mean(sample.trees, bytes);
        cost.table_a_day[i] = a_height / sample.seconds_per_height * kSecondsADay;
        cost.disk_a_day += cost.table_a_day[i];
    }
    return cost;
}

}  // namespace receiptd::follow
