// The leader maintains the database for all daemons on it: every five minutes it makes, drops and measures
// partitions, and once an hour it deletes old rows.
#pragma once

#include "app/runtime.hpp"

namespace receiptd::app {

// Until it is cancelled. `runtime` must outlive it.
base::Task<void> maintain(Runtime& runtime);

}  // namespace receiptd::app
