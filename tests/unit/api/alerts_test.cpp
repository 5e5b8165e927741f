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
    EXPECT_EQ(database_.questions, 0);
    Ask ask;
    ask.method = "POST";
    ask.target = "/v1/alerts/resend";
    ask.token = "";
    problem(send(ask), 401);
}

}  // namespace
}  // namespace receiptd::api
