#include "fakes.hpp"

namespace receiptd::api {
namespace {

using namespace api::testing;

using SchemasTest = ApiTest;

TEST_F(SchemasTest, OfMessagesAreListedAndShown) {
    const auto listed = answer(get("/v1/schemas"))["schemas"];
    ASSERT_FALSE(listed.empty());
    for (const auto& each : listed) {
        const auto schema = get(each["schema"].get<std::string>());
        EXPECT_EQ(schema.status, 200);
        EXPECT_EQ(nlohmann::json::parse(schema.body)["title"], each["type"]);
    }
}

TEST_F(SchemasTest, OfATypeThatThereIsNotIsNotFound) {
    problem(get("/v1/schemas/finding"), 404);
    problem(get("/v1/schemas/finding.expired?x=1"), 400);
}

}  // namespace
}  // namespace receiptd::api
