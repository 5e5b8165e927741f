// Validators and configurations as JSON (rpc.md §7.2, §7.4).
#pragma once

#include "sandbox/ledger/chain_store.hpp"
#include "sandbox/ledger/options.hpp"
#include "sandbox/ledger/validators.hpp"

namespace receiptd::sandbox {

// Validators of the epoch of `at`, with the production counts of the epoch up to that block.
Json validators_json(const ChainStore& store, const BlockRecord& at, const Validators& validators);
// As it holds for that block.
Json protocol_config_json(const LedgerOptions& options, const BlockRecord& at);
// `genesis`: the first block.
Json genesis_config_json(const LedgerOptions& options, const BlockRecord& genesis,
                         const Validators& validators);

}  // namespace receiptd::sandbox
