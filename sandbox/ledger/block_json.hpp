// Blocks and chunks as JSON: every member of rpc.md §4, and neardata's whole block (providers.md §2.2).
#pragma once

#include "sandbox/ledger/records.hpp"

#include <functional>

namespace receiptd::sandbox {

Json chunk_header_json(const ChunkRecord& chunk);
Json chunk_json(const ChunkRecord& chunk);
Json block_json(const BlockRecord& block);
// `tx_hash`: of the transaction a receipt descends from.
Json whole_block_json(const BlockRecord& block,
                      const std::function<std::optional<CryptoHash>(const CryptoHash& receipt_id)>& tx_hash);
// {prev_block_hash, inner_rest_hash, inner_lite}
Json light_header_json(const chain::LightHeader& header);

}  // namespace receiptd::sandbox
