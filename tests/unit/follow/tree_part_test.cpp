#include "follow/tree_part.hpp"

#include <gtest/gtest.h>

namespace receiptd::follow {
namespace {

using chain::StoredPart;
using namespace std::chrono_literals;

class Part : public ::testing::Test {
protected:
    StoredPart to_store(std::chrono::milliseconds missing) {
        pending.receipts_missing_for = missing;
        return part_to_store(pending, done);
    }
    storage::PendingTree pending;
    chain::TreeCompletion done;
};

TEST_F(Part, IsStoredWhenNoHostHasToldTheRestForAWhile) {
    EXPECT_EQ(to_store(1s), StoredPart::none);
    EXPECT_EQ(to_store(10s), StoredPart::rows);
    pending.stored_part = StoredPart::rows;
    EXPECT_EQ(to_store(20s), StoredPart::none) << "nothing new";
    done.verdict = "succeeded";
    EXPECT_EQ(to_store(20s), StoredPart::rows) << "the rest does not change the verdict";
}

TEST_F(Part, IsUndecidedAfterTenMinutes) {
    done.undecided = true;
    EXPECT_EQ(to_store(9min), StoredPart::rows);
    pending.stored_part = StoredPart::rows;
    EXPECT_EQ(to_store(10min), StoredPart::undecided);
    pending.stored_part = StoredPart::undecided;
    EXPECT_EQ(to_store(11min), StoredPart::none);
}

TEST_F(Part, NeverReplacesAResult) {
    pending.has_result = done.undecided = true;
    EXPECT_EQ(to_store(1h), StoredPart::none);
}

}  // namespace
}  // namespace receiptd::follow
