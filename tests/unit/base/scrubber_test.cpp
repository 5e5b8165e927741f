#include "base/scrubber.hpp"

#include <gtest/gtest.h>

namespace receiptd::base {
namespace {

Scrubber scrubber(std::initializer_list<std::string_view> secrets) {
    Scrubber made;
    for (const auto secret : secrets) made.add(secret);
    return made;
}

TEST(Scrubber, HidesASecretWhereverItStandsInBothItsForms) {
    const auto made = scrubber({"a@b/c", ""});
    EXPECT_EQ(made.scrub("bad a@b/c, a%40b%2Fc and a@b/ca@b/c!"), "bad ***, *** and ******!");
    EXPECT_EQ(made.scrub("bad A@B/C and a%40b%2fc"), "bad *** and ***");
    EXPECT_EQ(made.scrub("nothing of it"), "nothing of it");
    EXPECT_EQ(made.scrub(""), "");
}

TEST(Scrubber, HidesTheLongerOneOfTwoSecretsWhole) {
    EXPECT_EQ(scrubber({"key", "key-of-a-host"}).scrub("GET /key-of-a-host?key"), "GET /***?***");
}

TEST(Scrubber, HidesTheBeginningOfASecretAtTheEndOfATextThatWasCut) {
    const auto made = scrubber({"0123456789abcdef"});
    EXPECT_EQ(made.scrub_cut("cannot GET /v2/0123456789abc"), "cannot GET /v2/***");
    EXPECT_EQ(made.scrub_cut("cannot GET /0123456789abcdef, 01234"), "cannot GET /***, ***");
    EXPECT_EQ(made.scrub_cut("error 0123"), "error 0123");
    EXPECT_EQ(made.scrub("01234"), "01234");
}

}  // namespace
}  // namespace receiptd::base
