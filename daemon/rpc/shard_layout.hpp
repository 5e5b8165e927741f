// The shard layout of an epoch out of its protocol configuration (rpc.md §7.4).
#pragma once

#include "chain/json/shard_layout.hpp"
#include "rpc/decoded_call.hpp"
#include "rpc/source.hpp"

#include <optional>

namespace receiptd::rpc {

// Versions 0 (of one shard: more of them go by hashes) to 3. A layout that does not fit together, or that
// says otherwise than the witness, cannot be right.
Decoder<chain::ShardLayout> shard_layout_decoder(std::optional<TreeSource::ShardWitness> witness);

}  // namespace receiptd::rpc
