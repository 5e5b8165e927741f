#include "sandbox/replay/id_shift.hpp"

#include "chain/wire/base58.hpp"

#include <gtest/gtest.h>

#include <set>

namespace receiptd::sandbox {
namespace {

const std::string kId = "4XXtr7JrRNaquPXe7RZ1PSgJ645dgSpsRyE6gmvhvQV4";

TEST(IdShift, GivesANewValidHashOfTheSameLengthForEveryK) {
    std::set<std::string> seen;
    for (std::int64_t k = -2; k < 20'000; ++k) {
        const std::string id = shifted(kId, k);
        ASSERT_EQ(id.size(), kId.size());
        ASSERT_TRUE(is_hash_text(id)) << id;
        ASSERT_TRUE(seen.insert(id).second) << id;
        ASSERT_EQ(sibling_key(id), sibling_key(kId));
    }
}

TEST(IdShift, SpreadsSiblingsAsHashesAre) {
    std::set<std::string> prefixes;
    for (std::int64_t k = 0; k < 50; ++k) prefixes.insert(shifted(kId, k).substr(0, 3));
    EXPECT_GT(prefixes.size(), 40u);
}

TEST(IdShift, KeepsHashesAtTheEndsOfTheirLengthHashes) {
    // Ids of 32 bytes: close to the largest, and to those that need only 31.
    for (const std::string id :
         {"JEABcdefghijkmnopqrstuvwxyz123456789ABCDEFGH", "4uzBcdefghijkmnopqrstuvwxyz123456789ABCDEFG"}) {
        ASSERT_TRUE(is_shiftable(id)) << id;
        for (std::int64_t k = 0; k < 500; ++k) {
            ASSERT_TRUE(is_shiftable(shifted(id, k))) << shifted(id, k);
            ASSERT_EQ(shift_between(id, shifted(id, k)), k);
        }
    }
}

TEST(IdShift, FindsTheWayBack) {
    for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, std::int64_t{57}, std::int64_t{58},
                                 std::int64_t{123'456'789'012}, kShiftModulus - 1}) {
        EXPECT_EQ(shift_between(kId, shifted(kId, k)), k);
    }
    EXPECT_EQ(shifted(kId, 0), kId);
    EXPECT_EQ(shifted(shifted(kId, 41), -41), kId);
    EXPECT_EQ(shifted(kId, kShiftModulus), kId);
}

TEST(IdShift, LeavesOutWhatIsNoHash) {
    EXPECT_TRUE(is_shiftable(kId));
    EXPECT_FALSE(is_shiftable("11111111111111111111111111111111")) << "the zero hash stands for nothing";
    EXPECT_FALSE(is_shiftable("alice.near"));
    EXPECT_FALSE(is_shiftable(kId + "1"));
    EXPECT_FALSE(is_hash_text("zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz")) << "more than 32 bytes";
    EXPECT_TRUE(is_hash_text("11111111111111111111111111111111"));
}

}  // namespace
}  // namespace receiptd::sandbox
