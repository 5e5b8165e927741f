// Removes a stored block that is not of this chain, as if it had never been stored.
#pragma once

#include "base/height_set.hpp"

#include <pqxx/transaction_base>

namespace receiptd::storage {

// Deletes the rows of the block at `height`, and takes its height and the skipped ones below it from
// coverage. Trees that it was a part of lose their results and findings: they are judged again when the
// height is stored anew, and what was told of them and does not hold is taken back then (corrections.hpp).
// Returns the heights that are missing now; empty: none was stored there.
base::HeightSet remove_block(pqxx::transaction_base& tx, base::Height height);

}  // namespace receiptd::storage
