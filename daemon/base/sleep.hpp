#pragma once

#include "base/coroutine.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>

namespace receiptd::base {

// Sleeps on the current coroutine's executor; ends early, quietly, when `timer` is cancelled.
Task<void> sleep_on(asio::steady_timer& timer, std::chrono::nanoseconds delay);

}  // namespace receiptd::base
