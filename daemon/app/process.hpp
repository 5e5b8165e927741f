// This process: its memory, and names by which another one on the same machine knows whether it still runs.
#pragma once

#include <string>

namespace receiptd::app {

// Keys and passwords live in memory. A crash must not write them to disk, nor give them to a program that
// takes core files whatever the limit is (core(5)); and no other process of the same user may look into ours.
void keep_memory_private();

// Answers and bodies of some megabytes are mapped one by one, and go back to the system when they are freed.
// Left to itself glibc takes them from the heap after the first (mallopt(3)), where what is small and stays
// lies between them.
void give_back_freed_memory();

// "boot/pid namespace/pid/start time" of this process; empty where the system does not tell.
std::string process_name();
// Whether a process of that name is known to run no more. One of another machine or container is not known.
bool is_gone(const std::string& process);

}  // namespace receiptd::app
