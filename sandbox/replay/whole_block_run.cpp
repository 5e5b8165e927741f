#include "sandbox/replay/whole_block_run.hpp"

#include "sandbox/gateway/gzip.hpp"
#include "sandbox/replay/files.hpp"
#include "sandbox/replay/id_shift.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace receiptd::sandbox {

namespace {

constexpr std::size_t kLeastKept = 8;  // blocks

struct Recorded {
    std::shared_ptr<const std::string> text;
    WholeBlockLayout layout;
};

Recorded load(const std::filesystem::path& path) {
    auto text = std::make_shared<const std::string>(read_json_file(path));
    if (text->size() > std::numeric_limits<std::uint32_t>::max())
        throw std::runtime_error(path.string() + ": larger than 4 GiB");
    try {
        auto layout = read_layout(*text);
        return {std::move(text), std::move(layout)};
    } catch (const std::invalid_argument& error) {
        throw std::runtime_error(path.string() + ": not a whole block: " + error.what());
    }
}

unsigned digits(std::uint64_t number) { return static_cast<unsigned>(std::to_string(number).size()); }

}  // namespace

WholeBlockRun::WholeBlockRun(const std::filesystem::path& folder, std::optional<Repeat> repeat)
    : repeat_(repeat) {
    std::vector<Recorded> blocks;
    for (const auto& path : json_files(folder)) blocks.push_back(load(path));
    if (blocks.empty()) throw std::runtime_error(folder.string() + ": no whole blocks (HEIGHT.json) there");
    std::sort(blocks.begin(), blocks.end(),
              [](const Recorded& a, const Recorded& b) { return a.layout.height < b.layout.height; });
    for (auto& block : blocks) {
        texts_.push_back(std::move(block.text));
        layouts_.push_back(std::move(block.layout));
    }
    build_indexes(repeat_ ? repeat_blocks() : std::vector<RoundsBack>(texts_.size()));
}

std::vector<WholeBlockRun::RoundsBack> WholeBlockRun::repeat_blocks() {
    const std::size_t count = texts_.size();
    const auto ancestor = [&](std::size_t block, std::size_t back) {
        const auto rounds = rounds_between(block, back, count);
        return RunId{layouts_[block + rounds * count - back].hash, rounds};
    };
    std::vector<std::string_view> recorded;
    for (const auto& text : texts_) recorded.push_back(*text);
    const auto linked = link_run(recorded);
    link_counts_ = linked.counts;
    const auto accounts = passers_by(recorded);
    std::vector<RoundsBack> rounds_back(count);
    const unsigned width = digits(repeat_->first_height + repeat_->blocks);
    for (std::size_t i = 0; i < count; ++i) {
        templates_.emplace_back(*texts_[i], ancestor(i, 1), ancestor(i, 2), linked.blocks[i], accounts,
                                width);
        for (const auto& [id, other] : linked.blocks[i].ids)
            rounds_back[i].emplace(other.recorded, other.rounds_back);
    }
    texts_.assign(count, nullptr);  // the templates hold what is needed
    kept_.resize(count * ((kLeastKept + count - 1) / count));
    return rounds_back;
}

void WholeBlockRun::build_indexes(const std::vector<RoundsBack>& rounds_back) {
    for (std::size_t block = 0; block < layouts_.size(); ++block) {
        const WholeBlockLayout& layout = repeat_ ? templates_[block].layout() : layouts_[block];
        const auto add = [&](Index& index, const std::string& id, const WholeBlockShard* shard, Span span,
                             const TransactionLayout* transaction = nullptr) {
            const auto back = rounds_back[block].find(id);
            const unsigned rounds = back == rounds_back[block].end() ? 0 : back->second;
            index.try_emplace(sibling_key(id), Place{id, block, rounds, shard, transaction, span});
        };
        add(blocks_, layout.hash, nullptr, {});
        for (const auto& shard : layout.shards) {
            if (!shard.chunk_hash.empty()) add(chunks_, shard.chunk_hash, &shard, {});
            for (const auto& transaction : shard.transactions)
                add(transactions_, transaction.hash, &shard, transaction.transaction, &transaction);
            for (const auto& receipt : shard.receipts) add(receipts_, receipt.id, &shard, receipt.span);
            for (const auto& outcome : shard.outcomes) add(outcomes_, outcome.id, &shard, outcome.span);
        }
    }
}

base::Height WholeBlockRun::height(std::uint64_t position) const {
    return repeat_ ? repeat_->first_height + position : layouts_[position].height;
}

std::optional<std::uint64_t> WholeBlockRun::position_of(base::Height height) const {
    if (repeat_) {
        if (height < repeat_->first_height || height - repeat_->first_height >= repeat_->blocks)
            return std::nullopt;
        return height - repeat_->first_height;
    }
    const auto found =
        std::lower_bound(layouts_.begin(), layouts_.end(), height,
                         [](const WholeBlockLayout& l, base::Height h) { return l.height < h; });
    if (found == layouts_.end() || found->height != height) return std::nullopt;
    return static_cast<std::uint64_t>(found - layouts_.begin());
}

// Rounds count from 1, so that the run's ids differ from the recorded ones from the first block on.
std::int64_t WholeBlockRun::shift(std::uint64_t position) const {
    return repeat_ ? static_cast<std::int64_t>(position / layouts_.size()) + 1 : 0;
}

std::shared_ptr<const std::string> WholeBlockRun::text(std::uint64_t position) const {
    if (!repeat_) return texts_[position];
    auto& kept = kept_[position % kept_.size()];
    if (kept.text && kept.position == position) return kept.text;
    const Production production{height(position),
                                repeat_->first_timestamp_nanosec + position * repeat_->block_time_nanosec,
                                shift(position)};
    if (!kept.text || kept.text.use_count() > 1) kept.text = std::make_shared<std::string>();
    templates_[position % templates_.size()].produce(production, *kept.text);
    kept.position = position;
    return kept.text;
}

void WholeBlockRun::compress() {
    for (std::uint64_t position = 0; position < size(); ++position)
        compressed_.push_back(std::make_shared<const std::string>(gzip(*text(position))));
}

std::shared_ptr<const std::string> WholeBlockRun::compressed(std::uint64_t position) const {
    return position < compressed_.size() ? compressed_[position] : nullptr;
}

const WholeBlockLayout& WholeBlockRun::layout(std::uint64_t position) const {
    const std::size_t block = position % layouts_.size();
    return repeat_ ? templates_[block].layout() : layouts_[block];
}

std::string WholeBlockRun::hash(std::uint64_t position) const {
    const std::string& recorded = layouts_[position % layouts_.size()].hash;
    return is_shiftable(recorded) ? shifted(recorded, shift(position)) : recorded;
}

std::optional<WholeBlockRun::Found> WholeBlockRun::find(const Index& index, std::string_view id) const {
    const auto found = index.find(sibling_key(id));
    if (found == index.end()) return std::nullopt;
    const Place& place = found->second;
    if (!repeat_) return place.recorded_id == id ? std::optional(Found{place.block, &place}) : std::nullopt;
    if (!is_shiftable(id) || id.size() != place.recorded_id.size()) return std::nullopt;
    auto round = shift_between(place.recorded_id, id);
    if (round > kShiftModulus / 2) round -= kShiftModulus;  // from before the run
    round += place.rounds_back;                             // now from 1, see shift()
    const auto position = static_cast<std::uint64_t>(round - 1) * layouts_.size() + place.block;
    if (round < 1 || position >= repeat_->blocks) return std::nullopt;
    return Found{position, &place};
}

std::optional<Part> WholeBlockRun::find_part(const Index& index, std::string_view id) const {
    const auto found = find(index, id);
    if (!found) return std::nullopt;
    return Part{text(found->position), found->place->span, found->position};
}

std::optional<std::uint64_t> WholeBlockRun::find_block(std::string_view hash) const {
    const auto found = find(blocks_, hash);
    return found ? std::optional(found->position) : std::nullopt;
}

std::optional<WholeBlockRun::ChunkPlace> WholeBlockRun::find_chunk(std::string_view hash) const {
    const auto found = find(chunks_, hash);
    if (!found) return std::nullopt;
    return ChunkPlace{found->position, found->place->shard};
}

std::optional<WholeBlockRun::TransactionPlace> WholeBlockRun::find_transaction(std::string_view hash) const {
    const auto found = find(transactions_, hash);
    if (!found) return std::nullopt;
    const auto whole = text(found->position);
    TransactionPlace place{{whole, found->place->span, found->position}, std::nullopt};
    const Span outcome = found->place->transaction->outcome;
    if (outcome.size > 0) place.outcome = Part{whole, outcome, found->position};
    return place;
}

std::optional<Part> WholeBlockRun::find_receipt(std::string_view receipt_id) const {
    return find_part(receipts_, receipt_id);
}

std::optional<Part> WholeBlockRun::find_outcome(std::string_view receipt_id) const {
    return find_part(outcomes_, receipt_id);
}

}  // namespace receiptd::sandbox
