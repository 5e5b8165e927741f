#include "base/height_set.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace receiptd::base {
namespace {

TEST(HeightSet, MergesWhatTouches) {
    HeightSet set;
    set.add({5, 7});
    set.add({10, 12});
    set.add({8, 9});
    EXPECT_EQ(set.ranges(), (std::vector<HeightRange>{{5, 12}}));
    EXPECT_EQ(set.size(), 8u);
}

TEST(HeightSet, SubtractingSplits) {
    HeightSet set({1, 10});
    set.subtract({4, 6});
    EXPECT_EQ(set.ranges(), (std::vector<HeightRange>{{1, 3}, {7, 10}}));
    EXPECT_EQ(set.first_missing(1), 4u);
    EXPECT_EQ(set.first_missing(5), 5u);
    EXPECT_EQ(set.first_missing(8), 11u);
}

TEST(HeightSet, SpeaksPostgres) {
    HeightSet set({1, 3});
    set.add(9);
    EXPECT_EQ(set.to_multirange(), "{[1,4),[9,10)}");
    EXPECT_EQ(HeightSet::parse_multirange("{[1,4),[9,10)}"), set);
    EXPECT_EQ(HeightSet::parse_multirange("{}"), HeightSet());
    for (const char* broken : {"", "{", "[1,4)", "{[1,4)[9,10)}", "{(1,4)}", "{[4,1)}", "{[1,4),}x"})
        EXPECT_FALSE(HeightSet::parse_multirange(broken)) << broken;
}

TEST(HeightSet, BehavesLikeASetOfHeights) {
    std::mt19937 generator(3);
    std::uniform_int_distribution<Height> any(0, 60);
    HeightSet set;
    std::set<Height> plain;
    for (int step = 0; step < 2000; ++step) {
        auto from = any(generator);
        auto to = any(generator);
        if (from > to) std::swap(from, to);
        if (step % 2 == 0) {
            set.add({from, to});
            for (auto h = from; h <= to; ++h) plain.insert(h);
        } else {
            set.subtract({from, to});
            for (auto h = from; h <= to; ++h) plain.erase(h);
        }
        ASSERT_EQ(set.size(), plain.size());
        for (Height h = 0; h <= 60; ++h) ASSERT_EQ(set.contains(h), plain.count(h) == 1) << h;
    }
}

}  // namespace
}  // namespace receiptd::base
