// The accounts a sandbox chain begins with.
#pragma once

#include "sandbox/ledger/options.hpp"
#include "sandbox/run/ready_accounts.hpp"
#include "sandbox/traffic/accounts.hpp"

#include <vector>

namespace receiptd::sandbox {

// The ready-made accounts with 10,000 tokens each, the built-in contracts, and those of the traffic (none:
// empty), which hold tokens of ft.sandbox.
std::vector<GenesisAccount> genesis_accounts(const std::vector<ReadyAccount>& ready,
                                             const std::vector<TrafficAccount>& traffic);

}  // namespace receiptd::sandbox
