// The JSON-RPC questions the daemon asks (rpc.md §3), ready for the router.
#pragma once

#include "rpc/router.hpp"
#include "rpc/source.hpp"

#include <string>
#include <string_view>

namespace receiptd::rpc {

Call ask_final_block(Priority priority);
Call ask_newest_block(Priority priority);  // final or not
Call ask_block(chain::BlockHeight height, Priority priority);
Call ask_block(const std::string& hash, Priority priority);
// `height`: of the block that lists the chunk.
Call ask_chunk(const std::string& chunk_hash, chain::BlockHeight height, chain::ShardId shard_id,
               Priority priority);
Call ask_indexer_block(const std::string& hash, chain::BlockHeight height, Priority priority);
// `method`: one of kTreeMethods.
Call ask_transaction(const std::string& method, const TreeSource::Query& query);
Call ask_receipt(const std::string& receipt_id, Priority priority);
Call ask_receipt_to_tx(const std::string& receipt_id, Priority priority);
Call ask_outcome_proof(const std::string& receipt_id, const std::string& receiver_id,
                       const std::string& final_block_hash, Priority priority);
Call ask_status();
// The key in the newest final block.
Call ask_access_key(const std::string& account_id, const std::string& public_key, Priority priority);
Call ask_gas_key_nonces(const std::string& account_id, const std::string& public_key, Priority priority);
Call ask_protocol_config(Priority priority);  // at the final head
Call ask_protocol_config(chain::BlockHeight height, Priority priority);
// `tx` with the bytes and wait_until NONE: sends nothing.
Call ask_verifier(const std::string& signed_tx_base64, const std::string& tx_hash, Priority priority);
// broadcast_tx_async.
Call ask_to_broadcast(const std::string& signed_tx_base64, const std::string& tx_hash, Priority priority);
// Takes the height from a question about a block that is not final: its answer says nothing of how far a
// host's final blocks reach.
Call before_final(Call call);
// neardata: a block, final or not.
Call get_early_neardata(chain::BlockHeight height, Priority priority);
// neardata: a path under the host's own, e.g. "/v0/block/123".
Call get_neardata(const std::string& path, Priority priority, std::optional<chain::BlockHeight> height);

}  // namespace receiptd::rpc
