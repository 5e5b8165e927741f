// The receipts that the chunks of blocks list, by id: of the chunks that were fetched last, as many as fit.
#pragma once

#include "base/height_set.hpp"
#include "chain/json/decode.hpp"
#include "rpc/source.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace receiptd::rpc {

using SharedChunk = std::shared_ptr<const chain::Decoded<chain::Chunk>>;

class ListedReceipts {
public:
    explicit ListedReceipts(std::uint64_t most_bytes = 32u << 20) : most_bytes_(most_bytes) {}

    // All new chunks of the block at this height; none: it has none, or no block is there.
    void put(chain::BlockHeight height, std::vector<SharedChunk> chunks);
    bool has(chain::BlockHeight height) const { return heights_.contains(height); }
    std::optional<ReceiptBody> find(chain::Text receipt_id) const;
    void forget(const base::HeightSet& heights);

private:
    struct Block {
        chain::BlockHeight height = 0;
        std::vector<SharedChunk> chunks;
        std::uint64_t bytes = 0;
    };
    struct Place {
        SharedChunk chunk;
        const chain::Receipt* receipt = nullptr;
    };
    void drop(const Block& block);

    std::uint64_t most_bytes_;
    std::uint64_t bytes_ = 0;
    std::deque<Block> blocks_;  // the oldest first
    std::set<chain::BlockHeight> heights_;
    std::unordered_map<chain::Text, Place> places_;  // the ids are views into the chunks
};

}  // namespace receiptd::rpc
