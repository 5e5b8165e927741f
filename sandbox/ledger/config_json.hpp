// Validators and configurations as JSON (rpc.md §7.2, §7.4).
#pragma once

#include "sandbox/ledger/chain_store.hpp"
#include "sandbox/ledger/options.hpp"
#include "sandbox/ledger/shard_layout.hpp"
#include "sandbox/ledger/validators.hpp"

namespace receiptd::sandbox {

// Validators of the epoch of `at`, with the production counts of the epoch up to that block.
Json validators_json(const ChainStore& store, const BlockRecord& at, const Validators& validators,
                     const ShardLayout& layout);
Json protocol_config_json(const LedgerOptions& options, const sim::Protocol& protocol,
                          const ShardLayout& layout);
Json genesis_config_json(const LedgerOptions& options, const ShardLayout& layout,
                         const Validators& validators, u128 total_supply);

}  // namespace receiptd::sandbox
