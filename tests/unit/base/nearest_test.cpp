#include "base/nearest.hpp"

#include <gtest/gtest.h>

namespace receiptd::base {
namespace {

TEST(Nearest, ForgivesASlipAndNothingMore) {
    EXPECT_EQ(nearest("wirters", {"writers", "scope"}), "writers");
    EXPECT_EQ(nearest("acounts", {"accounts", "scope"}), "accounts");
    EXPECT_EQ(nearest("database", {"writers", "scope"}), std::nullopt);
}

}  // namespace
}  // namespace receiptd::base
