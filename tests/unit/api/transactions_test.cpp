#include "fakes.hpp"

namespace receiptd::api {
namespace {

using namespace api::testing;
using ::testing::HasSubstr;

class TransactionsTest : public ApiTest {
protected:
    net::ServerReply submit(const std::string& more = "") {
        return post("/v1/transactions", R"({"signed_tx_base64":"AAAA")" + more + "}");
    }
    void refuse(watch::SubmitError::Kind kind) {
        watch::SubmitError error;
        error.kind = kind;
        error.error_class = "invalid_nonce";
        error.detail = "the nonce 7 is used already";
        error.where = "transaction.nonce";
        error.remedy = "query view_access_key, use nonce + 1";
        error.error_json = R"({"InvalidNonce":{"ak_nonce":7,"tx_nonce":7}})";
        submissions_.answer = error;
    }
};

TEST_F(TransactionsTest, ASubmissionIsAcceptedOnceAndThenTheSame) {
    watch::Submitted submitted;
    submitted.tx_hash = kHash;
    submitted.sender_id = "alice.near";
    submitted.stage = chain::Stage::pending;
    submissions_.answer = submitted;
    const auto reply = submit(R"(,"idempotency_key":"payment-7")");
    EXPECT_EQ(header(reply, "Location"), "/v1/transactions/" + kHash);
    EXPECT_EQ(answer(reply, 202)["stage"], "pending");
    EXPECT_EQ(submissions_.asked.base64, "AAAA");
    EXPECT_EQ(submissions_.asked.idempotency_key, "payment-7");
    submit(R"(,"metadata":{"order": 7})");
    EXPECT_EQ(submissions_.asked.metadata_json, R"({"order":7})");
    submitted.existing = true;
    submissions_.answer = submitted;
    EXPECT_EQ(answer(submit())["existing"], true);
}

TEST_F(TransactionsTest, RefusalsSayWhatToDo) {
    using Kind = watch::SubmitError::Kind;
    refuse(Kind::refused);
    const auto body = problem(submit(), 422);
    EXPECT_EQ(body["error_class"], "invalid_nonce");
    EXPECT_EQ(body["remedy"], "query view_access_key, use nonce + 1");
    EXPECT_EQ(body["where"], "transaction.nonce");
    EXPECT_EQ(body["error"]["InvalidNonce"]["tx_nonce"], 7);
    EXPECT_EQ(body["pointer"], "/signed_tx_base64");
    refuse(Kind::malformed);
    problem(submit(), 400);
    refuse(Kind::conflict);
    EXPECT_EQ(problem(submit(), 409)["pointer"], "/idempotency_key");
    refuse(Kind::unavailable);
    const auto unavailable = submit();
    problem(unavailable, 503);
    EXPECT_EQ(header(unavailable, "Retry-After"), "5");
}

TEST_F(TransactionsTest, BadBodiesAreToldWhere) {
    const auto pointer = [&](const std::string& body) {
        return problem(post("/v1/transactions", body), 400)["pointer"];
    };
    EXPECT_EQ(pointer("[]"), "");
    EXPECT_EQ(pointer("{}"), "/signed_tx_base64");
    EXPECT_EQ(pointer(R"({"signed_tx_base64":7})"), "/signed_tx_base64");
    EXPECT_EQ(pointer(R"({"signed_tx_base64":"AA","idempotency_key":""})"), "/idempotency_key");
    EXPECT_EQ(pointer(R"({"signed_tx_base64":"AA","idempotency_key":")" + std::string(256, 'k') + R"("})"),
              "/idempotency_key");
    EXPECT_EQ(pointer(R"({"signed_tx_base64":"AA","metadata":[]})"), "/metadata");
    EXPECT_EQ(pointer(R"({"signed_tx_base64":"AA","sender_id":"a.near"})"), "/sender_id");
    EXPECT_EQ(database_.questions, 0);
}

TEST_F(TransactionsTest, ASubmissionThatTakesTooLongMayBeRepeated) {
    database_.away = true;
    const auto body = problem(submit(), 503);
    EXPECT_THAT(body["detail"].get<std::string>(), HasSubstr("one submission"));
    EXPECT_EQ(get("/livez").status, 200);
}

TEST_F(TransactionsTest, WhatNobodyKnowsIsNotFound) {
    problem(get("/v1/transactions/" + kHash), 404);
    problem(get("/v1/transactions/nonsense"), 404);
}

base::WallTime new_year() { return base::WallTime(std::chrono::seconds(1'767'225'600)); }  // 2026-01-01

TEST_F(TransactionsTest, WhatNobodyKnowsMayHaveBeenPruned) {
    findings_.what_is_kept.pruned_before = new_year();
    EXPECT_THAT(problem(get("/v1/transactions/" + kHash), 404)["detail"].get<std::string>(),
                HasSubstr("blocks before 2026-01-01T00:00:00.000Z were pruned"));
}

storage::KeptResult kept_result() {
    storage::KeptResult kept;
    kept.transaction.tx_hash = kHash;
    kept.transaction.signer_id = "alice.near";
    kept.tree.included = kept.tree.completed = kept.tree.settled = true;
    kept.tree.verdict = chain::Verdict::callback_failed;
    kept.tree.included_at = kept.tree.completed_at = kept.tree.settled_at = chain::ExecutedAt{5, 1'000};
    kept.receipts = 5;
    kept.error_class = "contract_panic";
    return kept;
}

TEST_F(TransactionsTest, AResultOutlivesItsReceipts) {
    findings_.what_is_kept = {new_year(), kept_result()};
    const auto body = answer(get("/v1/transactions/" + kHash));
    EXPECT_EQ(body["stage"], "final");
    EXPECT_EQ(body["verdict"], "callback_failed");
    EXPECT_EQ(body["reason"], "contract_panic");
    EXPECT_EQ(body["sender_id"], "alice.near");
    EXPECT_TRUE(body["tree"]["receipts"].empty());
    EXPECT_EQ(body["pruned"]["before"], "2026-01-01T00:00:00.000Z");
    EXPECT_EQ(body["pruned"]["receipts"], 5);
}

TEST_F(TransactionsTest, APrunedTreeIsToldByTheHostsToWhoNamesItsSigner) {
    findings_.what_is_kept = {new_year(), kept_result()};
    const auto asked = "/v1/transactions/" + kHash + "?sender=alice.near";
    EXPECT_EQ(answer(get(asked))["source"], "database") << "no host knows it any more";
    clock_.now += std::chrono::seconds(2);
    auto& open = open_trees_[kHash];
    open.transaction.tx_hash = kHash;
    open.tree.included = true;
    const auto body = answer(get(asked));
    EXPECT_EQ(body["source"], "hosts");
    EXPECT_TRUE(body["pruned"].is_null());
}

TEST_F(TransactionsTest, AWatchOfWhichNothingIsStoredHasItsStage) {
    auto& watch = watches_.rows[kHash];
    watch.tx_hash = kHash;
    watch.sender_id = "alice.near";
    watch.state.stage = chain::Stage::pending;
    const auto body = answer(get("/v1/transactions/" + kHash));
    EXPECT_EQ(body["stage"], "pending");
    EXPECT_EQ(body["sender_id"], "alice.near");
    EXPECT_TRUE(body["tree"].is_null());
}

TEST_F(TransactionsTest, AStoredTreeNeedsNoWatchAndHasItsFindingsInOrder) {
    storage::StoredTree tree;
    chain::TransactionFacts transaction;
    transaction.tx_hash = kHash;
    transaction.signer_id = "alice.near";
    transaction.receiver_id = "bob.near";
    tree.transaction = transaction;
    chain::OutcomeFacts conversion;
    conversion.id = kHash;
    conversion.status = chain::StatusKind::failure;
    conversion.failure.error_class = "lack_balance";
    conversion.at = chain::ExecutedAt{5, 1'000};
    tree.outcomes.push_back(conversion);
    watches_.trees[kHash] = tree;
    for (const char* id : {"second", "first"}) {
        chain::Finding row;
        row.finding_id = id;
        row.kind = "failed_transaction";
        row.tx_hash = kHash;
        findings_.findings.push_back(row);
    }
    const auto body = answer(get("/v1/transactions/" + kHash));
    EXPECT_EQ(body["verdict"], "failed");
    EXPECT_EQ(body["sender_id"], "alice.near");
    EXPECT_FALSE(body["tree"].is_null());
    ASSERT_EQ(body["findings"].size(), 2U);
    EXPECT_EQ(body["findings"][0]["finding_id"], "first");
    EXPECT_TRUE(open_trees_asked_.empty()) << "all of it is stored";
}

TEST_F(TransactionsTest, WhatIsPendingIsAskedOfTheHosts) {
    auto& watch = watches_.rows[kHash];
    watch.tx_hash = kHash;
    watch.sender_id = "alice.near";
    watch.state.stage = chain::Stage::executing;
    EXPECT_TRUE(answer(get("/v1/transactions/" + kHash))["tree"].is_null()) << "no host knows it either";
    auto& open = open_trees_[kHash];
    open.transaction.tx_hash = kHash;
    open.tree.included = true;
    chain::JudgedReceipt yield;
    yield.receipt_id = "yield";
    yield.attached = true;
    yield.waiting = chain::Waiting::resume;
    open.tree.receipts.push_back(yield);
    const auto body = answer(get("/v1/transactions/" + kHash));
    EXPECT_EQ(body["stage"], "executing");
    EXPECT_EQ(body["tree"]["receipts"][0]["waiting"], "resume");
}

class FindingsTest : public ApiTest {};

TEST_F(FindingsTest, FiltersReachTheStore) {
    answer(get(
        "/v1/findings?tx_hash=" + kHash +
        "&contract_id=c.near&kind=failed_receipt&handled=false&since=2026-01-31T00:00:00.5%2B02:00&limit=3"));
    EXPECT_EQ(findings_.asked.tx_hash, kHash);
    EXPECT_EQ(findings_.asked.contract_id, "c.near");
    EXPECT_EQ(findings_.asked.kind, "failed_receipt");
    EXPECT_EQ(findings_.asked.handled, false);
    EXPECT_EQ(findings_.asked.since, "2026-01-31T00:00:00.5+02:00");
    EXPECT_EQ(findings_.asked.limit, 4U);
}

TEST_F(FindingsTest, NonsenseIsRefusedByName) {
    for (const std::string bad :
         {"tx_hash=x", "contract_id=X", "kind=bad", "handled=maybe", "since=yesterday",
          "since=2026-02-30T00:00:00Z", "since=2026-01-01T24:00:00Z", "since=2026-01-01T00:00:00",
          "since=2026-01-01T00:00:00.Z", "since=2026-01-01T00:00:00%2B15:00", "since=0000-01-01T00:00:00Z",
          "since=2026-1-01T00:00:00Z", "cursor=x", "cursor=2026-13-45T00:00:00.000000Z,x"}) {
        const auto body = problem(get("/v1/findings?" + bad), 400);
        EXPECT_EQ(body["parameter"], bad.substr(0, bad.find('=')));
    }
    EXPECT_EQ(database_.questions, 0);
}

TEST_F(FindingsTest, ListsGoOnWhereTheyEnded) {
    for (const char* id : {"a", "b", "c"}) {
        chain::Finding row;
        row.finding_id = id;
        row.at.timestamp_nanosec = 1'769'860'800'000'000'000;
        findings_.findings.push_back(row);
    }
    const auto body = answer(get("/v1/findings?limit=2"));
    EXPECT_EQ(body["findings"].size(), 2U);
    EXPECT_EQ(body["next_cursor"], "2026-01-31T12:00:00.000000Z,b");
    answer(get("/v1/findings?limit=2&cursor=2026-01-31T12:00:00.000000Z,b"));
    EXPECT_EQ(findings_.asked.cursor, "2026-01-31T12:00:00.000000Z,b");
    EXPECT_TRUE(answer(get("/v1/findings"))["next_cursor"].is_null());
}

TEST_F(FindingsTest, APageOfFindingsEndsWhereItBecomesLong) {
    for (const char* id : {"a", "b", "c"}) {
        auto& finding = findings_.findings.emplace_back();
        finding.finding_id = id;
        finding.at.timestamp_nanosec = 1'769'860'800'000'000'000;
        finding.failure.error_text = std::string(1'100'000, 'x');
    }
    const auto page = answer(get("/v1/findings"));
    EXPECT_EQ(page["findings"].size(), 2u);
    EXPECT_EQ(page["next_cursor"], "2026-01-31T12:00:00.000000Z,b");
    findings_.findings.resize(1);
    findings_.findings[0].failure.error_text.resize(5'000'000, 'x');
    const auto alone = answer(get("/v1/findings"));
    EXPECT_EQ(alone["findings"].size(), 1u) << "one comes however long it is";
    EXPECT_TRUE(alone["next_cursor"].is_null());
}

}  // namespace
}  // namespace receiptd::api
