// This process: its memory, and names by which another one on the same machine knows whether it still runs.
#pragma once

#include <string>

namespace receiptd::app {

// Keys and passwords live in memory. A crash must not write them to disk, nor give them to a program that
// takes core files whatever the limit is (core(5)); and no other process of the same user may look into ours.
void keep_memory_private();

// Memory of 8 MiB and more, as answers out of all measure take, is mapped and goes back to the system when it
// is freed. Left to itself glibc takes it from the heap after the first (mallopt(3)), where what is small and
// stays lies between. Blocks are smaller: to map each of them anew costs 1.8 ms of CPU a block.
// All threads share two heaps: of sixteen, each keeps what the largest answer took that was ever decoded in
// it.
void give_back_freed_memory();

// "boot/pid namespace/pid/start time" of this process; empty where the system does not tell.
std::string process_name();
// Whether a process of that name is known to run no more. One of another machine or container is not known.
bool is_gone(const std::string& process);

}  // namespace receiptd::app
