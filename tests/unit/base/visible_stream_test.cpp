#include "base/visible_stream.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace receiptd::base {
namespace {

TEST(VisibleBuffer, PassesOnNothingHidden) {
    std::stringbuf shown;
    VisibleBuffer visible(shown);
    std::ostream out(&visible);
    out << "said \x1b[2J and \xc2\x9b"
        << "2J, größer\r\n\tnext " << 7 << '\x07' << std::flush;
    EXPECT_EQ(shown.str(), "said �[2J and �2J, größer�\n\tnext 7�");
}

TEST(VisibleBuffer, PassesOnTheColoursOfOurOwnTexts) {
    std::stringbuf shown;
    VisibleBuffer visible(shown);
    std::ostream out(&visible);
    out << "\x1b[31mred\x1b[0m \x1b[8mconcealed \x1b\x1b[2mfaint\x1b[0m" << std::flush;
    EXPECT_EQ(shown.str(), "\x1b[31mred\x1b[0m �[8mconcealed �\x1b[2mfaint\x1b[0m");
}

TEST(VisibleBuffer, TakesACharacterThatComesInPieces) {
    std::stringbuf shown;
    VisibleBuffer visible(shown);
    std::ostream out(&visible);
    out << "gr\xc3" << '\xb6' << "\xc3\x9f"
        << "er" << '\x1b' << '\n';
    EXPECT_EQ(shown.str(), "größer�\n");
}

TEST(VisibleOnTerminal, LeavesAFileAsItIs) {
    std::ostringstream out;
    {
        const VisibleOnTerminal filter(out, -1);
        out << "\x1b[2J";
    }
    EXPECT_EQ(out.str(), "\x1b[2J");
}

}  // namespace
}  // namespace receiptd::base
