// Transactions that are not stored and are asked of the hosts, pictures, and the search for what somebody
// pastes.
#include "fakes.hpp"

#include "draw/style.hpp"

namespace receiptd::api {
namespace {

using namespace api::testing;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kPasted = "7zDLsxTKTuTxqdHAYzWZ5keYrnog3SsYvEXWXum3TzCZ";

class LookupTest : public ApiTest {
protected:
    LookupTest() { token_ = base::Secret(); }
    void hosts_know(const std::string& tx_hash) {
        auto& open = open_trees_[tx_hash];
        open.transaction.tx_hash = tx_hash;
        open.transaction.signer_id = "alice.near";
        open.transaction.receiver_id = "app.near";
        open.tree.included = open.tree.completed = open.tree.settled = true;
        open.tree.verdict = chain::Verdict::failed;
        open.tree.included_at = open.tree.completed_at = open.tree.settled_at = chain::ExecutedAt{5, 1'000};
        open.tree.transaction_failed = true;
        open.tree.failures.emplace_back().finding.kind = "failed_transaction";
    }
    void stored(const std::string& tx_hash, const std::string& receipt_id) {
        storage::StoredTree tree;
        chain::TransactionFacts transaction;
        transaction.tx_hash = tx_hash;
        transaction.signer_id = "alice.near";
        tree.transaction = transaction;
        chain::OutcomeFacts conversion;
        conversion.id = tx_hash;
        conversion.status = chain::StatusKind::success_receipt_id;
        conversion.receipt_ids = {receipt_id};
        tree.outcomes.push_back(conversion);
        chain::ReceiptFacts receipt;
        receipt.receipt_id = receipt_id;
        tree.receipts.push_back(receipt);
        watches_.trees[tx_hash] = tree;
    }
    net::ServerReply ask_without_token(std::string target) {
        Ask ask;
        ask.target = std::move(target);
        ask.token = "";
        return send(std::move(ask));
    }
};

TEST_F(LookupTest, WhatIsNotStoredIsAskedOfTheHostsByItsSigner) {
    hosts_know(kHash);
    EXPECT_THAT(problem(get("/v1/transactions/" + kHash), 404)["detail"].get<std::string>(),
                HasSubstr("?sender="));
    EXPECT_TRUE(open_trees_asked_.empty());
    const auto body = answer(get("/v1/transactions/" + kHash + "?sender=alice.near"));
    EXPECT_EQ(body["source"], "hosts");
    EXPECT_EQ(body["verdict"], "failed");
    EXPECT_EQ(body["stage"], "final");
    EXPECT_EQ(body["findings"][0]["kind"], "failed_transaction");
    EXPECT_TRUE(watches_.rows.empty()) << "nothing is stored";
}

TEST_F(LookupTest, TheHostsAreAskedOnceASecondWhoeverAsks) {
    hosts_know(kHash);
    hosts_know(kPasted);
    answer(get("/v1/transactions/" + kHash + "?sender=alice.near"));
    const auto refused = get(std::string("/v1/transactions/") + kPasted + "?sender=alice.near");
    problem(refused, 429);
    EXPECT_EQ(header(refused, "Retry-After"), "1");
    EXPECT_EQ(open_trees_asked_.count(kPasted), 0u);
    EXPECT_EQ(get("/v1/transactions/" + kHash + "/tree.svg?sender=alice.near").status, 200)
        << "what was just told is told again";
    EXPECT_EQ(open_trees_asked_[kHash], 1);
    clock_.now += milliseconds(1'000);
    answer(get(std::string("/v1/transactions/") + kPasted + "?sender=alice.near"));
    clock_.now += milliseconds(60'000);
    answer(get("/v1/transactions/" + kHash + "?sender=alice.near"));
    EXPECT_EQ(open_trees_asked_[kHash], 2) << "an answer is kept for a moment only";
}

TEST_F(LookupTest, AskingTheHostsNeedsTheTokenWhereThereIsOne) {
    token_ = base::Secret(kToken);
    hosts_know(kHash);
    const auto path = "/v1/transactions/" + kHash + "?sender=alice.near";
    problem(ask_without_token(path), 401);
    EXPECT_TRUE(open_trees_asked_.empty());
    answer(get(path));
    stored(kPasted, "receipt");
    answer(ask_without_token(std::string("/v1/transactions/") + kPasted));
}

TEST_F(LookupTest, AHostThatKnowsNothingIsNotFound) {
    problem(get("/v1/transactions/" + kHash + "?sender=alice.near"), 404);
    problem(get("/v1/transactions/" + kHash + "?sender=NOBODY"), 400);
}

TEST_F(LookupTest, AReceiptsIdFindsItsTransaction) {
    stored(kHash, kPasted);
    EXPECT_EQ(answer(get(std::string("/v1/transactions/") + kPasted))["tx_hash"], kHash);
    EXPECT_EQ(answer(get("/v1/transactions/" + kHash))["source"], "database");
}

TEST_F(LookupTest, APictureIsAnSvgThatMayDoNothing) {
    stored(kHash, kPasted);
    const auto reply = get("/v1/transactions/" + kHash + "/tree.svg");
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(header(reply, "Content-Type"), "image/svg+xml");
    EXPECT_THAT(reply.body, StartsWith("<?xml"));
    EXPECT_THAT(reply.body, HasSubstr(kPasted));
    EXPECT_THAT(header(reply, "Content-Security-Policy"),
                StartsWith("default-src 'none'; style-src 'sha256-"));
    EXPECT_EQ(header(reply, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(header(reply, "Content-Disposition"), "");
    EXPECT_EQ(header(get("/v1/transactions/" + kHash + "/tree.svg?download=true"), "Content-Disposition"),
              "attachment; filename=\"" + kHash + ".svg\"");
    problem(get("/v1/transactions/" + kHash + "/tree.svg?download=maybe"), 400);
    problem(get(std::string("/v1/transactions/") + kPasted + "x/tree.svg"), 404);
}

TEST_F(LookupTest, ATraceIsTheBodyOfARequestThatExportsIt) {
    stored(kHash, kPasted);
    watches_.trees[kHash].outcomes.front().at = chain::ExecutedAt{5, 1'769'860'800'000'000'000};
    const auto path = "/v1/transactions/" + kHash;
    const auto reply = get(path + "/trace.json");
    EXPECT_EQ(header(reply, "Content-Type"), "application/json");
    const auto request = answer(reply);
    const auto& span = request["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
    EXPECT_EQ(span["traceId"], answer(get(path))["trace_id"]);
    EXPECT_EQ(header(get(path + "/trace.json?download=true"), "Content-Disposition"),
              "attachment; filename=\"" + kHash + ".otlp.json\"");
    problem(get(path + "/trace.json?download=maybe"), 400);
    problem(get(std::string("/v1/transactions/") + kPasted + "x/trace.json"), 404);
}

TEST_F(LookupTest, SearchSaysWhatAnIdIs) {
    stored(kHash, kPasted);
    auto found = answer(get("/v1/search?q=" + kHash));
    EXPECT_EQ(found["kind"], "transaction");
    EXPECT_EQ(found["stored"], true);
    found = answer(get(std::string("/v1/search?q=") + kPasted));
    EXPECT_EQ(found["kind"], "receipt");
    EXPECT_EQ(found["tx_hash"], kHash);
    EXPECT_EQ(found["receipt_id"], kPasted);
    found = answer(get("/v1/search?q=11111111111111111111111111111112"));
    EXPECT_EQ(found["kind"], "unknown");
    EXPECT_EQ(found["stored"], false);
}

TEST_F(LookupTest, SearchFindsASubmissionByItsKey) {
    storage::Watch watch;
    watch.tx_hash = kHash;
    watch.sender_id = "alice.near";
    watch.idempotency_key = "order-4711";
    watches_.rows.emplace(kHash, watch);
    const auto found = answer(get("/v1/search?q=order-4711"));
    EXPECT_EQ(found["kind"], "transaction");
    EXPECT_EQ(found["tx_hash"], kHash);
    EXPECT_EQ(found["sender_id"], "alice.near");
    EXPECT_EQ(found["watched"], true);
    EXPECT_EQ(problem(get("/v1/search?q=order-4712"), 400)["parameter"], "q");
}

TEST_F(LookupTest, SearchTakesAnExplorersAddress) {
    const auto found = answer(
        get("/v1/search?q=https%3A%2F%2Fexplorer.example%2Ftxns%2F" + kHash + "%3Fsender%3Dalice.near"));
    EXPECT_EQ(found["tx_hash"], kHash);
    EXPECT_EQ(found["sender_id"], "alice.near");
    EXPECT_EQ(problem(get("/v1/search?q=alice.near"), 400)["parameter"], "q");
    problem(get("/v1/search"), 400);
}

}  // namespace
}  // namespace receiptd::api
