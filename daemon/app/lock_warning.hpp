#pragma once

#include "base/task.hpp"
#include "storage/database.hpp"

#include <string>

namespace receiptd::app {

// Says at a start whether a statement over all partitions may take all locks of the server, and what to set;
// empty: it cannot.
base::Task<std::string> lock_warning(storage::Database& database);

}  // namespace receiptd::app
