// Storage management of ft.sandbox (NEP-145): an account is registered or not, for one fixed price.
#pragma once

#include "sandbox/sim/host.hpp"

namespace receiptd::sandbox::contracts {

void storage_deposit(sim::Host& host);
void storage_withdraw(sim::Host& host);
void storage_unregister(sim::Host& host);
void storage_balance_of(sim::Host& host);
void storage_balance_bounds(sim::Host& host);

}  // namespace receiptd::sandbox::contracts
