// The machine and the commit that a figure belongs to.
#pragma once

#include <cstdio>
#include <string>
#include <thread>

namespace receiptd::bench {

inline std::string first_line_of(const char* command) {
    std::string line;
    if (FILE* pipe = popen(command, "r")) {
        char buffer[256];
        if (std::fgets(buffer, sizeof buffer, pipe) != nullptr) line = buffer;
        pclose(pipe);
    }
    while (!line.empty() && line.back() == '\n') line.pop_back();
    return line.empty() ? "unknown" : line;
}

inline void print_machine() {
    std::printf("machine: %u x %s; commit %s\n", std::thread::hardware_concurrency(),
                first_line_of("sed -n 's/^model name.*: //p' /proc/cpuinfo").c_str(),
                first_line_of("git rev-parse --short HEAD").c_str());
}

}  // namespace receiptd::bench
