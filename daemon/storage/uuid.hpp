// Names of processes, for leases.
#pragma once

#include <cstdio>
#include <random>
#include <string>

namespace receiptd::storage {

inline std::string random_uuid() {
    std::random_device random;
    char text[37];
    std::snprintf(text, sizeof text, "%08x-%04x-4%03x-%04x-%08x%04x", random(), random() & 0xffffu,
                  random() & 0xfffu, 0x8000u | (random() & 0x3fffu), random(), random() & 0xffffu);
    return text;
}

}  // namespace receiptd::storage
