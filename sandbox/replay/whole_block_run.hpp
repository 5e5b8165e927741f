// A run of whole blocks: the recorded ones at their own heights, or repeated as N consecutive
// heights (block_template.hpp) and linked (run_links.hpp). Blocks are addressed by their position in the
// run, from 0.
#pragma once

#include "sandbox/replay/block_template.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace receiptd::sandbox {

struct Repeat {
    std::uint64_t blocks = 0;
    base::Height first_height = 200'000'000;
    std::uint64_t first_timestamp_nanosec = 1'760'000'000'000'000'000;
    std::uint64_t block_time_nanosec = 600'000'000;
};

// A part of a block of the run; text keeps it alive.
struct Part {
    std::shared_ptr<const std::string> text;
    Span span;
    std::uint64_t position = 0;
    std::string_view view() const { return span.in(*text); }
};

class WholeBlockRun {
public:
    WholeBlockRun() = default;
    // Throws std::runtime_error that names the file or says what is missing.
    WholeBlockRun(const std::filesystem::path& folder, std::optional<Repeat> repeat);

    // All zero if the blocks are not repeated.
    const LinkCounts& links() const { return link_counts_; }
    std::uint64_t size() const { return repeat_ ? repeat_->blocks : texts_.size(); }
    base::Height height(std::uint64_t position) const;
    std::optional<std::uint64_t> position_of(base::Height height) const;

    // Produced blocks are kept for a moment, as their parts are asked for one by one. The memory of one that
    // nobody reads any more becomes that of a later one from the same template.
    std::shared_ptr<const std::string> text(std::uint64_t position) const;
    // Makes gzip of all blocks, which takes some 20 ms and a fifth of its size for each, so that serving
    // them compressed costs no more than serving them plain.
    void compress();
    // null: not compressed.
    std::shared_ptr<const std::string> compressed(std::uint64_t position) const;
    const WholeBlockLayout& layout(std::uint64_t position) const;
    // The block's own hash in this run.
    std::string hash(std::uint64_t position) const;

    std::optional<std::uint64_t> find_block(std::string_view hash) const;
    struct ChunkPlace {
        std::uint64_t position = 0;
        const WholeBlockShard* shard = nullptr;
    };
    std::optional<ChunkPlace> find_chunk(std::string_view hash) const;
    struct TransactionPlace {
        Part transaction;
        std::optional<Part> outcome;
    };
    std::optional<TransactionPlace> find_transaction(std::string_view hash) const;
    std::optional<Part> find_receipt(std::string_view receipt_id) const;
    std::optional<Part> find_outcome(std::string_view receipt_id) const;

private:
    struct Place {
        std::string recorded_id;
        std::size_t block = 0;     // index of the recorded block that holds it
        unsigned rounds_back = 0;  // of the id there
        const WholeBlockShard* shard = nullptr;
        const TransactionLayout* transaction = nullptr;
        Span span;
    };
    using Index = std::unordered_map<std::string, Place>;  // by sibling_key
    struct Found {
        std::uint64_t position = 0;
        const Place* place = nullptr;
    };

    using RoundsBack = std::unordered_map<std::string, unsigned>;  // by id; absent: 0

    // For each block, the ids in its template that are of earlier rounds.
    std::vector<RoundsBack> repeat_blocks();
    void build_indexes(const std::vector<RoundsBack>& rounds_back);
    std::optional<Found> find(const Index& index, std::string_view id) const;
    std::optional<Part> find_part(const Index& index, std::string_view id) const;
    std::int64_t shift(std::uint64_t position) const;

    std::optional<Repeat> repeat_;
    std::vector<std::shared_ptr<const std::string>> texts_;  // recorded, by height
    std::vector<WholeBlockLayout> layouts_;                  // of the recorded texts
    std::vector<BlockTemplate> templates_;                   // only if repeated
    LinkCounts link_counts_;
    std::vector<std::shared_ptr<const std::string>> compressed_;
    Index blocks_, chunks_, transactions_, receipts_, outcomes_;

    struct Kept {
        std::uint64_t position = 0;
        std::shared_ptr<std::string> text;
    };
    mutable std::vector<Kept> kept_;  // at least one for each template; by position, modulo their number
};

}  // namespace receiptd::sandbox
