#include "rule/number.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace receiptd::rule {
namespace {

Number number(std::string_view text) { return parse_number(text).value(); }

TEST(Numbers, AreOrderedByTheirValueWhateverTheirForm) {
    const std::vector<std::string_view> ascending = {"-1e99999999999999999999",
                                                     "-1e400",
                                                     "-1e3",
                                                     "-12.5",
                                                     "-12",
                                                     "0",
                                                     "1e-99999999999999999999",
                                                     "1e-400",
                                                     "0.001",
                                                     "1",
                                                     "9",
                                                     "10",
                                                     "10.5",
                                                     "18446744073709551616",
                                                     "340282366920938463463374607431768211456",
                                                     "1e99",
                                                     "12e399",
                                                     "2e400",
                                                     "1e99999999999999999999"};
    for (std::size_t a = 0; a < ascending.size(); ++a)
        for (std::size_t b = 0; b < ascending.size(); ++b) {
            EXPECT_EQ(number(ascending[a]) < number(ascending[b]), a < b)
                << ascending[a] << " " << ascending[b];
            EXPECT_EQ(number(ascending[a]) == number(ascending[b]), a == b);
        }
}

TEST(Numbers, AreEqualInEveryForm) {
    EXPECT_EQ(number("007"), number("7"));
    EXPECT_EQ(number("7.0"), number("7"));
    EXPECT_EQ(number("-0"), number("0"));
    EXPECT_EQ(number("1.5e2"), number("150"));
    EXPECT_EQ(number("150e-2"), number("1.5"));
    EXPECT_EQ(number("1e-3"), number("0.001"));
    EXPECT_EQ(number("0.0010e403"), number("1e400"));
    EXPECT_EQ(number("0e99999999999999999999"), number("0"));
    EXPECT_EQ(number("1E+24"), number("1000000000000000000000000"));
}

TEST(Numbers, OtherTextsAreNone) {
    for (const char* bad :
         {"", "-", "+1", ".5", "1.", "1e", "1e+", "1e-+1", "1 ", " 1", "0x1", "1,5", "--1", "1e1e1"})
        EXPECT_EQ(parse_number(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace receiptd::rule
