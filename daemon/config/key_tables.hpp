// The key table's parts, by what they are about; config::keys() puts them together.
#pragma once

#include "config/keys.hpp"

#include <span>

namespace receiptd::config {

std::span<const Key> source_keys();    // where the chain is read: chain, upstream, neardata, timeouts
std::span<const Key> daemon_keys();    // database, follow, http, retention, log
std::span<const Key> endpoint_keys();  // who is told
std::span<const Key> watchdog_keys();  // who is told that the daemon stands still
std::span<const Key> trace_keys();     // which trees leave as traces, and where to
std::span<const Key> rule_keys();      // what they are told
std::span<const Key> watch_keys();     // which transactions are watched, and how

}  // namespace receiptd::config
