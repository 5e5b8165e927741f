#include "rpc/listed_receipts.hpp"

#include <utility>

namespace receiptd::rpc {
namespace {

constexpr std::uint64_t kBlockBytes = 256;  // of one without chunks
constexpr std::uint64_t kReceiptBytes = 512;

std::uint64_t bytes_of(const std::vector<SharedChunk>& chunks) {
    std::uint64_t bytes = kBlockBytes;
    for (const auto& chunk : chunks)
        bytes += chunk->document->capacity() + kReceiptBytes * chunk->value.receipts.size();
    return bytes;
}

}  // namespace

void ListedReceipts::put(chain::BlockHeight height, std::vector<SharedChunk> chunks) {
    if (!heights_.insert(height).second) return;
    Block block{height, std::move(chunks), 0};
    block.bytes = bytes_of(block.chunks);
    for (const auto& chunk : block.chunks)
        for (const auto& receipt : chunk->value.receipts)
            places_.try_emplace(receipt.receipt_id, Place{chunk, &receipt});
    bytes_ += block.bytes;
    blocks_.push_back(std::move(block));
    while (bytes_ > most_bytes_ && blocks_.size() > 1) {
        drop(blocks_.front());
        blocks_.pop_front();
    }
}

std::optional<ReceiptBody> ListedReceipts::find(chain::Text receipt_id) const {
    const auto found = places_.find(receipt_id);
    if (found == places_.end()) return std::nullopt;
    return ReceiptBody{found->second.chunk, *found->second.receipt};
}

void ListedReceipts::forget(const base::HeightSet& heights) {
    std::erase_if(blocks_, [&](const Block& block) {
        const bool gone = heights.contains(block.height);
        if (gone) drop(block);
        return gone;
    });
}

void ListedReceipts::drop(const Block& block) {
    bytes_ -= block.bytes;
    heights_.erase(block.height);
    for (const auto& chunk : block.chunks)
        for (const auto& receipt : chunk->value.receipts)
            if (const auto place = places_.find(receipt.receipt_id);
                place != places_.end() && place->second.chunk == chunk)
                places_.erase(place);
}

}  // namespace receiptd::rpc
