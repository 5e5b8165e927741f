// A running daemon takes over a configuration that was read again.
#pragma once

#include "app/runtime.hpp"
#include "app/watched_parts.hpp"
#include "config/load.hpp"

namespace receiptd::app {

// All but rules, lists and endpoints' rows, which need the database. Logs each problem and change. False: the
// configuration has errors, and changes nothing.
bool take_reloaded(Runtime& runtime, WatchedParts& parts, const config::Loaded& loaded);

}  // namespace receiptd::app
