#include "base/iso_time.hpp"

#include <gtest/gtest.h>

namespace receiptd::base {
namespace {

TEST(IsoTime, IsInUtcWithMilliseconds) {
    EXPECT_EQ(iso_time(std::uint64_t{1'769'903'999'123'999'999}), "2026-01-31T23:59:59.123Z");
    EXPECT_EQ(iso_time(WallTime{}), "1970-01-01T00:00:00.000Z");
}

}  // namespace
}  // namespace receiptd::base
