// What the leader does to the database for all daemons on it, once an hour: partitions, retention, old rows.
#pragma once

#include "app/runtime.hpp"

namespace receiptd::app {

// Until it is cancelled. Measures the tables every few minutes. `runtime` must outlive it.
base::Task<void> maintain(Runtime& runtime);

}  // namespace receiptd::app
