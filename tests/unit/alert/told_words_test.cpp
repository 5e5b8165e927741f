#include "alert/told_words.hpp"

#include "alert/message_faults.hpp"
#include "alert/payload.hpp"
#include "base/exact_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace receiptd::alert {
namespace {

using Json = nlohmann::ordered_json;

const std::string kDeposit =
    R"({"account_id":"alice.near","direction":"in","other_account_id":"bob.near",)"
    R"("amount":"12500000000000000000000000","token":"near","token_id":"","cause":"transfer"})";

std::string words(const std::string& kind, const std::string& told, const std::string& changes = "{}") {
    auto json = Json::parse(told);
    json.update(Json::parse(changes));
    return told_in_words(kind, json);
}

TEST(ToldWords, SayWhoGotWhatFromWhom) {
    EXPECT_EQ(words("transfer", kDeposit), "alice.near received 12.5 NEAR from bob.near");
    EXPECT_EQ(words("transfer", kDeposit, R"({"direction":"out"})"), "alice.near sent 12.5 NEAR to bob.near");
    EXPECT_EQ(words("transfer", kDeposit, R"({"cause":"refund","other_account_id":""})"),
              "alice.near got 12.5 NEAR back");
    EXPECT_EQ(words("transfer", kDeposit, R"({"token":"usdt.near","amount":"5"})"),
              "alice.near received 5 units of usdt.near from bob.near");
    EXPECT_EQ(words("transfer", kDeposit, R"({"token":"usdt.near","amount":"5","cause":"returned"})"),
              "alice.near got 5 units of usdt.near back from bob.near");
    EXPECT_EQ(words("transfer", kDeposit,
                    R"({"token":"intents.near","token_id":"nep141:a.near","amount":"5",)"
                    R"("direction":"out","other_account_id":null})"),
              "5 units of nep141:a.near at intents.near of alice.near were burnt");
}

TEST(ToldWords, SayWhatWasEmittedAddedAndJudged) {
    EXPECT_EQ(words("event", R"({"contract_id":"app.near","standard":"nep141","event":"ft_transfer"})"),
              "app.near emitted nep141 ft_transfer");
    EXPECT_EQ(words("event", R"({"contract_id":"app.near","standard":"a\nb","event":null})"),
              "app.near emitted a b");
    EXPECT_EQ(words("event", R"({"contract_id":"app.near"})"), "app.near emitted an event");
    EXPECT_EQ(words("key_added", R"({"contract_id":"alice.near","access":"full"})"),
              "a full-access key was added to alice.near");
    EXPECT_EQ(words("key_added", R"({"contract_id":"alice.near","access":"function_call"})"),
              "a function-call key was added to alice.near");
    EXPECT_EQ(words("key_added", R"({"contract_id":"alice.near"})"), "a key was added to alice.near");
    EXPECT_EQ(words("verdict", R"({"user_id":"alice.near","contract_id":"app.near","verdict":"failed",)"
                               R"("error_class":"contract_panic","error_text":"no\nmoney"})"),
              "transaction of alice.near to app.near was judged: failed: contract_panic: no money");
    EXPECT_EQ(words("verdict", R"({"user_id":"alice.near","contract_id":"app.near","verdict":"succeeded"})"),
              "transaction of alice.near to app.near was judged: succeeded");
    EXPECT_EQ(words("of a later version", "{}"), "");
    EXPECT_EQ(words("included", R"({"stage":"included","user_id":"alice.near","contract_id":"app.near"})"),
              "transaction of alice.near to app.near is in a block");
}

TEST(ToldWords, SayWhatDidNotHappenInTime) {
    EXPECT_EQ(words("absence", R"({"rule":"no-prices","window_seconds":600,"at_least":1,"successes":0,)"
                               R"("last_successes":[{"block_time":"2026-01-01T00:00:00Z"}]})"),
              "no-prices: no successful call in 10m; the last was at 2026-01-01T00:00:00Z");
    EXPECT_EQ(words("absence", R"({"rule":"no-prices","window_seconds":600,"at_least":3,"successes":2,)"
                               R"("last_successes":[]})"),
              "no-prices: 2 successful calls in 10m, fewer than 3; none is known before");
    EXPECT_EQ(words("latency", R"({"rule":"slow","window_seconds":300,"percentile":95,"over_seconds":30,)"
                               R"("took_seconds":45.5,"transactions":20,"too_slow":2})"),
              "slow: 95 % of 20 transactions took up to 45.5s, more than 30s; 2 were too slow in 5m");
    EXPECT_EQ(words("absence", "{}"), ": no successful call in ?; none is known before");
    EXPECT_EQ(words("latency", "{}"),
              ": ? % of 0 transactions took up to ?, more than ?; 0 were too slow in ?");
}

TEST(ToldWords, OfStormsCount) {
    const std::string group =
        R"({"group_id":7,"rules":["on-call","dex"],"contract_id":"dex.near","method_name":"swap",)"
        R"("error_class":"contract_panic","count":5000,"untold":4999,"first_at":"2026-03-01T12:00:00.000Z",)"
        R"("alert_ids":["failed_receipt:R"]})";
    EXPECT_EQ(
        words("group_digest", group),
        "4999 more, 5000 since 2026-03-01T12:00:00.000Z: contract_panic in swap of dex.near (on-call, dex)");
    EXPECT_EQ(words("group_digest", R"({"contract_id":"dex.near","count":3,"untold":2,"first_at":"T"})"),
              "2 more, 3 since T: alerts at dex.near");
    EXPECT_EQ(words("group_resolved", R"({"error_class":"contract_panic","count":3,"untold":0})"),
              "over: contract_panic, 3 in all");
    EXPECT_EQ(words("group_resolved", R"({"error_class":"contract_panic","count":3,"untold":2})"),
              "over: contract_panic, 3 in all, 2 of them since the last message");
    EXPECT_EQ(
        words("endpoint_withheld", R"({"endpoint":"ops","most_per_hour":100,"until":"T","withheld":null})"),
        "further alerts are withheld until T: ops takes 100 an hour");
    EXPECT_EQ(words("endpoint_withheld", R"({"endpoint":"ops","most_per_hour":100,"withheld":7})"),
              "7 alerts were withheld: ops takes 100 an hour");
}

TEST(ToldWords, OfAGroupLinkToItsDeliveries) {
    Cause cause;
    cause.alert_id = "group:7:digest:1";
    cause.kind = "group_digest";
    cause.told_json = R"({"group_id":7,"rules":["a"],"count":2,"untold":1,"alert_ids":["x"],"ended_at":""})";
    const auto body = Json::parse(make_payload(cause, {"mainnet", "https://receiptd.example.org/", ""}));
    EXPECT_EQ(body["type"], "group.digest");
    EXPECT_EQ(body["data"]["links"]["api"], "https://receiptd.example.org/v1/alerts?group=7");
    EXPECT_EQ(body["data"]["ended_at"], nullptr);
    EXPECT_EQ(body["data"]["rules"], Json::array({"a"}));
    EXPECT_EQ(body["data"].at("contract_id"), nullptr) << "the endpoint does not group by it";
    EXPECT_FALSE(body["data"].contains("tx_hash"));
}

TEST(ToldWords, AreTheFirstThingInTheMessage) {
    Cause cause;
    cause.alert_id = "transfer:R:near:in:alice.near";
    cause.kind = "transfer";
    cause.tx_hash = "TX";
    cause.told_json = kDeposit;
    const auto body = Json::parse(make_payload(cause, {}));
    EXPECT_EQ(body["type"], "account.transfer");
    EXPECT_EQ(body["data"].begin().key(), "summary");
    EXPECT_EQ(body["data"]["summary"], "alice.near received 12.5 NEAR from bob.near");
    EXPECT_EQ(body["data"]["amount"], "12500000000000000000000000");
    EXPECT_EQ(body["data"]["token_id"], nullptr);
    EXPECT_EQ(body["data"]["tx_hash"], "TX");
}

Cause event_with(const std::string& data) {
    Cause cause;
    cause.alert_id = "event:R:0";
    cause.kind = "event";
    cause.tx_hash = "TX";
    cause.told_json =
        R"({"standard":"nep141","event":"ft_transfer","data":)" + data +
        R"(,"data_cut":"","receipt_id":"R","sender_id":"a.near","user_id":"a.near",)"
        R"("predecessor_id":"a.near","contract_id":"ft.near","method_name":"run","block_height":7})";
    return cause;
}

// Contracts write amounts of 128 bits without quotes, and numbers that no parser takes.
TEST(ToldWords, KeepTheNumbersOfAnEventAsTheyWere) {
    for (const char* number :
         {"340282366920938463463374607431768211455", "1e400", "-0", "5.10", "18446744073709551616"}) {
        const auto data = std::string(R"([{"amount":)") + number + "}]";
        const auto body = checked_payload(event_with(data), {});
        EXPECT_NE(body.find(R"("data":)" + data), std::string::npos) << body;
        EXPECT_NE(body.find(R"("summary":"ft.near emitted nep141 ft_transfer")"), std::string::npos) << body;
        EXPECT_FALSE(is_plain(body));
    }
}

TEST(ToldWords, AMessageThatLacksWhatItsSchemaPromisesTakesThePlainForm) {
    auto cause = event_with("null");
    EXPECT_FALSE(is_plain(checked_payload(cause, {})));
    cause.told_json = R"({"standard":"nep141","contract_id":7,"data":1e400})";
    const auto text = checked_payload(cause, {"mainnet", "", ""});
    EXPECT_TRUE(is_plain(text));
    const auto body = Json::parse(text);
    EXPECT_EQ(body["network"], "mainnet");
    EXPECT_EQ(body["data"]["kind"], "event");
    EXPECT_EQ(body["data"]["told"], cause.told_json);
    EXPECT_EQ(body["data"]["tx_hash"], "TX");
    EXPECT_NE(std::find(body["data"]["faults"].begin(), body["data"]["faults"].end(), "data.contract_id"),
              body["data"]["faults"].end());
    EXPECT_TRUE(faults_of(base::read_json(text)).empty());
}

TEST(ToldWords, WhatNobodyCanReadStandsInThePlainForm) {
    auto cause = event_with("null");
    cause.told_json = R"({"contract_id":"ft.near","data":[tru]})";
    const auto text = checked_payload(cause, {});
    EXPECT_TRUE(is_plain(text));
    EXPECT_EQ(Json::parse(text)["data"]["told"], cause.told_json);
}

}  // namespace
}  // namespace receiptd::alert
