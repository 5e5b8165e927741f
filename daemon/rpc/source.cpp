#include "rpc/source.hpp"

namespace receiptd::rpc {

const chain::Block& block_of(const BlockContents& contents) {
    if (const auto* parts = std::get_if<RpcBlock>(&contents)) return parts->block.value;
    return std::get<chain::Decoded<chain::WholeBlock>>(contents).value.block;
}

std::vector<chain::Receipt> TreeSource::Tree::bodies() const {
    auto all = status.value.receipts.value_or(std::vector<chain::Receipt>{});
    for (const auto& extra : extra_receipts) all.push_back(extra.value);
    return all;
}

}  // namespace receiptd::rpc
