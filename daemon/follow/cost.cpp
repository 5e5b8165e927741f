#include "follow/cost.hpp"

#include "follow/tree_progress.hpp"

namespace receiptd::follow {
namespace {

// A table needs the bytes that COPY brings; indexes need that much for each row (docs/performance.md,
// "Disk").
constexpr double kIndexBytesPerRow = 220;
constexpr double kSecondsADay = 86'400;

template <class Samples, class Value>
double mean(const Samples& samples, Value&& value) {
    if (samples.empty()) return 0;
    double sum = 0;
    for (const auto& sample : samples) sum += static_cast<double>(value(sample));
    return sum / static_cast<double>(samples.size());
}

}  // namespace

std::uint64_t asks_for_tree(base::Height blocks) {
    const auto first = first_ask(0, false).at + kSeenAhead;
    return blocks <= first ? 1 : 1 + (blocks - first + kSeenAhead - 1) / kSeenAhead;
}

Cost cost_of(const Sample& sample) {
    Cost cost;
    if (sample.blocks.empty() || sample.seconds_per_height <= 0) return cost;
    const auto trees = mean(sample.blocks, [](const auto& block) { return block.trees; });
    cost.head = sample.polls_per_height;
    cost.block = mean(sample.blocks, [](const auto& block) { return block.requests; });
    cost.tree = trees * mean(sample.trees,
                             [](const auto& tree) { return asks_for_tree(tree.blocks) + tree.requests; });
    cost.requests_a_second = (cost.head + cost.block + cost.tree) / sample.seconds_per_height;
    cost.requests_a_day = cost.requests_a_second * kSecondsADay;
    const auto disk = [](const auto& of) {
        return static_cast<double>(of.row_bytes) + static_cast<double>(of.rows) * kIndexBytesPerRow;
    };
    const auto bytes = mean(sample.blocks, disk) + trees * mean(sample.trees, disk);
    cost.disk_a_day = bytes / sample.seconds_per_height * kSecondsADay;
    return cost;
}

}  // namespace receiptd::follow
