// PostgreSQL counts time in microseconds, the chain in nanoseconds.
#pragma once

namespace receiptd::storage {

inline constexpr int kNanosecondsPerMicrosecond = 1000;

}  // namespace receiptd::storage
