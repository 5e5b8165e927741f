#include "fakes.hpp"

namespace receiptd::api {
namespace {

using namespace api::testing;

class AlertsTest : public ApiTest {};

TEST_F(AlertsTest, DeliveriesAreListedAsTheyStand) {
    storage::DeliveryRow row;
    row.alert_id = "failed_receipt:x";
    row.endpoint = "ops";
    row.state = "pending";
    row.kind = "failed_receipt";
    row.attempts = 2;
    row.last_status = 500;
    row.created_at = "2026-01-01T00:00:00.000000Z";
    deliveries_.rows.push_back(row);
    row.rules = {"payments@3"};
    deliveries_.rows.back() = row;
    const auto body = answer(get("/v1/alerts?state=pending&endpoint=ops&rule=payments&limit=7"));
    EXPECT_EQ(deliveries_.asked.rule, "payments");
    EXPECT_EQ(body["alerts"][0]["rules"], nlohmann::json({"payments@3"}));
    EXPECT_EQ(deliveries_.asked.state, "pending");
    EXPECT_EQ(deliveries_.asked.endpoint, "ops");
    EXPECT_EQ(deliveries_.asked.limit, 8U) << "one more tells whether there are more";
    EXPECT_TRUE(body["next_cursor"].is_null());
    EXPECT_EQ(body["alerts"][0]["alert_id"], "failed_receipt:x");
    EXPECT_EQ(body["alerts"][0]["last_status"], 500);
    EXPECT_TRUE(body["alerts"][0]["tx_hash"].is_null());
    EXPECT_EQ(problem(get("/v1/alerts?state=lost"), 400)["parameter"], "state");
}

TEST_F(AlertsTest, DeliveriesAreListedPageByPage) {
    for (const std::string id : {"a,b", "c"}) {
        storage::DeliveryRow row;
        row.alert_id = id;
        row.endpoint = "ops";
        row.created_at = "2026-01-01T00:00:00.000000Z";
        deliveries_.rows.push_back(row);
    }
    const auto first = answer(get("/v1/alerts?limit=1"));
    EXPECT_EQ(first["alerts"].size(), 1U);
    const std::string cursor = first["next_cursor"];
    answer(get("/v1/alerts?cursor=" + cursor));
    const auto place = storage::parse_delivery_cursor(deliveries_.asked.cursor);
    ASSERT_TRUE(place);
    EXPECT_EQ(place->alert_id, "a,b");
    EXPECT_EQ(place->endpoint, "ops");
    for (const std::string bad :
         {"x", "2026-01-01T00:00:00.000000Z,ops", "2026-13-45T00:00:00.000000Z,ops,a"})
        EXPECT_EQ(problem(get("/v1/alerts?cursor=" + bad), 400)["parameter"], "cursor") << bad;
}

TEST_F(AlertsTest, DeliveriesOfATimeAreChosen) {
    const auto since = "2026-01-01T00:00:00Z", until = "2026-01-02T00:00:00Z";
    answer(get(std::string("/v1/alerts?since=") + since + "&until=" + until));
    EXPECT_EQ(deliveries_.asked.since, since);
    EXPECT_EQ(deliveries_.asked.until, until);
    EXPECT_EQ(problem(get("/v1/alerts?until=yesterday"), 400)["parameter"], "until");
}

TEST_F(AlertsTest, AnAlertIsShownWithItsCauseItsBodyAndItsDeliveries) {
    storage::StoredAlert alert;
    alert.alert_id = "failed_receipt:x";
    alert.kind = "failed_receipt";
    alert.finding.emplace().finding_id = alert.alert_id;
    alert.payload = R"({"type":"finding.failed_receipt"})";
    alert.deliveries.resize(2);
    alert.deliveries[1].endpoint = "lab";
    deliveries_.alerts["failed_receipt:x"] = alert;
    const auto shown = answer(get("/v1/alerts/failed_receipt:x"));
    EXPECT_EQ(shown["cause"]["finding_id"], "failed_receipt:x");
    EXPECT_EQ(shown["payload"]["type"], "finding.failed_receipt");
    EXPECT_EQ(shown["deliveries"][1]["endpoint"], "lab");
    alert.finding.reset();
    alert.told_json = R"({"stage":"completed"})";
    alert.payload = "";
    deliveries_.alerts["completed:x"] = alert;
    const auto stage = answer(get("/v1/alerts/completed:x"));
    EXPECT_EQ(stage["cause"]["stage"], "completed");
    EXPECT_TRUE(stage["payload"].is_null()) << "no attempt was made yet";
    for (const std::string unknown : {"none", "a\xff", "a\nb"}) problem(get("/v1/alerts/" + unknown), 404);
}

TEST_F(AlertsTest, WhatWouldBeSentAnewIsCountedFirst) {
    deliveries_.rows.resize(3);
    const auto counted =
        answer(post("/v1/alerts/resend", R"({"since":"2026-01-01T00:00:00Z","dry_run":true})"));
    EXPECT_EQ(counted["due"], 3);
    EXPECT_EQ(counted["dry_run"], true);
    EXPECT_EQ(deliveries_.resent, 0U);
    EXPECT_EQ(deliveries_.asked.since, "2026-01-01T00:00:00Z");
    const auto sent = answer(post("/v1/alerts/resend", R"({"since":"2026-01-01T00:00:00Z"})"));
    EXPECT_EQ(sent["dry_run"], false);
    EXPECT_EQ(deliveries_.resent, 3U);
}

TEST_F(AlertsTest, OneOrAllThatWereGivenUpAreSentAnew) {
    deliveries_.rows.resize(3);
    EXPECT_EQ(answer(post("/v1/alerts/resend", R"({"alert_id":"a","endpoint":"ops"})"))["due"], 3);
    EXPECT_EQ(deliveries_.asked.alert_id, "a");
    EXPECT_EQ(deliveries_.asked.endpoint, "ops");
    EXPECT_EQ(deliveries_.asked.limit, 0U);
    EXPECT_EQ(answer(post("/v1/alerts/resend", R"({"rule":"payments"})"))["due"], 3);
    EXPECT_EQ(deliveries_.asked.rule, "payments");
    EXPECT_EQ(answer(post("/v1/alerts/resend", R"({"state":"dead"})"))["due"], 3);
    EXPECT_EQ(deliveries_.asked.state, "dead");
}

TEST_F(AlertsTest, SendingEverythingAnewIsRefusedAndSoIsWhoHasNoToken) {
    EXPECT_EQ(problem(post("/v1/alerts/resend", "{}"), 400)["pointer"], "/alert_id");
    EXPECT_EQ(problem(post("/v1/alerts/resend", R"({"state":"delivered"})"), 400)["pointer"], "/alert_id");
    EXPECT_EQ(problem(post("/v1/alerts/resend", R"({"alert_id":"a","state":"x"})"), 400)["pointer"],
              "/state");
    EXPECT_EQ(problem(post("/v1/alerts/resend", R"({"all":true})"), 400)["pointer"], "/all");
    EXPECT_EQ(problem(post("/v1/alerts/resend", R"({"until":"2026-01-01T00:00:00Z"})"), 400)["pointer"],
              "/alert_id");
    EXPECT_EQ(problem(post("/v1/alerts/resend", R"({"since":"yesterday"})"), 400)["pointer"], "/since");
    EXPECT_EQ(problem(post("/v1/alerts/resend", R"({"alert_id":"a","dry_run":1})"), 400)["pointer"],
              "/dry_run");
    EXPECT_EQ(database_.questions, 0);
    Ask ask;
    ask.method = "POST";
    ask.target = "/v1/alerts/resend";
    ask.token = "";
    problem(send(ask), 401);
}

}  // namespace
}  // namespace receiptd::api
