#include "rpc/source.hpp"

namespace receiptd::rpc {

const chain::Block& block_of(const BlockContents& contents) {
    if (const auto* parts = std::get_if<RpcBlock>(&contents)) return parts->block.value;
    return std::get<chain::Decoded<chain::WholeBlock>>(contents).value.block;
}

}  // namespace receiptd::rpc
