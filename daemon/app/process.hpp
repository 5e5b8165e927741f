// Names of processes by which another one on the same machine knows whether they still run.
#pragma once

#include <string>

namespace receiptd::app {

// "boot/pid namespace/pid/start time" of this process; empty where the system does not tell.
std::string process_name();
// Whether a process of that name is known to run no more. One of another machine or container is not known.
bool is_gone(const std::string& process);

}  // namespace receiptd::app
