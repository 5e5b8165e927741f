// A transaction that is handed in again is one submission, with the key and the metadata that were given
// first.
#include "unit/watch/submitter_fixture.hpp"

#include <gmock/gmock.h>

namespace receiptd::watch::testing {
namespace {

using ::testing::SizeIs;

class Repeats : public SubmitterTest {
protected:
    std::optional<SubmitResult> submit_with(const std::string& metadata, const std::string& key = {}) {
        auto request = request_for(transfer(), key);
        request.metadata_json = metadata;
        return submit(std::move(request));
    }
    static bool is_repeat(const std::optional<SubmitResult>& result) {
        return result && *result && (*result)->existing;
    }
    static bool has_other_metadata(const std::optional<SubmitResult>& result) {
        return result && result->has_error() && result->error().kind == SubmitError::Kind::conflict &&
               result->error().where == "metadata";
    }
    storage::Watch& row() { return rows.rows.begin()->second; }
};

TEST_F(Repeats, TheSameBytesTwiceAreOneSubmission) {
    submit(request_for(transfer()));
    const auto again = submit(request_for(transfer()));
    ASSERT_TRUE(again && *again);
    EXPECT_TRUE((*again)->existing);
    EXPECT_EQ((*again)->stage, chain::Stage::pending);
    EXPECT_THAT(rows.rows, SizeIs(1));
    EXPECT_THAT(chain.sent, SizeIs(1));
}

TEST_F(Repeats, AnIdempotencyKeyIsForOneTransaction) {
    submit(request_for(transfer(6), "order-1"));
    const auto same = submit(request_for(transfer(6), "order-1"));
    EXPECT_TRUE(same && *same && (*same)->existing);
    const auto other = submit(request_for(transfer(7), "order-1"));
    ASSERT_TRUE(other && other->has_error());
    EXPECT_EQ(other->error().kind, SubmitError::Kind::conflict);
    EXPECT_THAT(rows.rows, SizeIs(1));
}

TEST_F(Repeats, AnIdempotencyKeyThatComesWithARepeatIsKept) {
    submit(request_for(transfer(6)));
    const auto same = submit(request_for(transfer(6), "order-1"));
    EXPECT_TRUE(same && *same && (*same)->existing);
    const auto other = submit(request_for(transfer(7), "order-1"));
    ASSERT_TRUE(other && other->has_error());
    EXPECT_EQ(other->error().kind, SubmitError::Kind::conflict);
    const auto second = submit(request_for(transfer(6), "order-2"));
    ASSERT_TRUE(second && second->has_error()) << "one key each";
    EXPECT_EQ(second->error().kind, SubmitError::Kind::conflict);
    EXPECT_THAT(rows.rows, SizeIs(1));
}

TEST_F(Repeats, KeepTheirMetadataAndOtherMetadataIsRefused) {
    submit_with(R"({"order":7})", "payment-7");
    EXPECT_EQ(row().metadata_json, R"({"order":7})");
    EXPECT_TRUE(is_repeat(submit_with(R"({"order":7})", "payment-7")));
    EXPECT_TRUE(is_repeat(submit_with("", "payment-7"))) << "a repeat need not give it again";
    EXPECT_TRUE(has_other_metadata(submit_with(R"({"order":8})", "payment-7")));
    EXPECT_EQ(row().metadata_json, R"({"order":7})");
    EXPECT_THAT(chain.sent, SizeIs(1));
}

TEST_F(Repeats, GiveMetadataIfThereWasNone) {
    submit_with("");
    EXPECT_TRUE(is_repeat(submit_with(R"({"order":7})")));
    EXPECT_EQ(row().metadata_json, R"({"order":7})");
    EXPECT_TRUE(has_other_metadata(submit_with("{}")));
}

TEST_F(Repeats, OfABareWatchHaveItsMetadata) {
    submit_with("");
    row().signed_tx_base64.clear();
    row().metadata_json = R"({ "order" : 7 })";
    EXPECT_TRUE(has_other_metadata(submit_with(R"({"order":8})")));
    EXPECT_FALSE(has_other_metadata(submit_with(R"({"order":7})"))) << "it was inserted with spaces";
}

TEST_F(Repeats, ThatBeginAgainKeepWhatWasGiven) {
    submit_with(R"({"order":7})", "payment-7");
    row().state.stage = chain::Stage::forwarding_failed;
    submit_with("");
    EXPECT_EQ(row().state.stage, chain::Stage::pending);
    EXPECT_EQ(row().metadata_json, R"({"order":7})");
    EXPECT_EQ(row().idempotency_key, "payment-7");
}

}  // namespace
}  // namespace receiptd::watch::testing
