// The part of the chain that is stored.
#pragma once

#include "chain/rows/rows.hpp"
#include "config/settings.hpp"

namespace receiptd::follow {

chain::Scope scope_of(const config::Follow& settings);

}  // namespace receiptd::follow
