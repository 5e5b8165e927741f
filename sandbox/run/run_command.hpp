// `receiptd-sandbox run`: a small sharded chain behind the whole gateway.
#pragma once

#include "sandbox/run/run_options.hpp"

namespace receiptd::sandbox {

// Serves until SIGTERM or SIGINT; returns the exit code. Throws std::invalid_argument for options that do not
// go together, std::system_error where a listener or the keys file is at fault.
int run_sandbox(RunOptions options);

}  // namespace receiptd::sandbox
