// Puts the outcomes of other hosts in place of those that a whole block was told with.
#pragma once

#include "rpc/source.hpp"

namespace receiptd::rpc {

// Outcomes that lead to the roots of their shard are the chain's: they replace those with the same id, and
// are added where the block lacks them. What no host proves is removed if the rest leads to a root. The block
// has views into `told` then. Roots of the shards are computed again.
void amend(chain::WholeBlock& whole, const BlockContents::Amendment& told);

// Whether an outcome of this answer leads to one of the roots.
bool proves_some(const chain::TransactionStatus& status, const BlockContents::Amendment& told);

}  // namespace receiptd::rpc
