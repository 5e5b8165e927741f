#include "base/nul.hpp"

#include <gtest/gtest.h>

namespace receiptd::base {
namespace {

TEST(Nul, IsFoundWhereverItStands) {
    for (std::size_t size = 0; size < 140; ++size) {
        for (const char filler : {'a', '\x01', '\x80', '\xff'}) {
            const std::string text(size, filler);
            EXPECT_EQ(without_nul(text), text);
            for (std::size_t at = 0; at < size; ++at) {
                std::string with = text;
                with[at] = '\0';
                EXPECT_EQ(without_nul(with), text.substr(0, at) + "\u2400" + text.substr(at + 1));
            }
        }
    }
}

TEST(Nul, IsShownEachTime) {
    EXPECT_EQ(without_nul(std::string_view("\0a\0\0b", 5)), "\u2400a\u2400\u2400b");
}

}  // namespace
}  // namespace receiptd::base
