#include "page/receipts.hpp"

#include "chain/wire/base64.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::page {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

chain::JudgedReceipt receipt(std::string id, bool failed = false) {
    chain::JudgedReceipt made;
    made.receipt_id = std::move(id);
    made.receiver_id = "app.near";
    made.predecessor_id = "alice.near";
    made.executed = true;
    made.status = failed ? chain::StatusKind::failure : chain::StatusKind::success_value;
    return made;
}

storage::ReceiptDetail detail(std::string id, const Json& row, std::string events = "[]") {
    return {std::move(id), row.dump(), std::move(events)};
}

chain::Judgement tree_of(std::size_t count) {
    chain::Judgement tree;
    for (std::size_t i = 0; i < count; ++i) tree.receipts.push_back(receipt("r" + std::to_string(i)));
    return tree;
}

Json detail_of(const storage::ReceiptDetail& stored) {
    chain::Judgement tree;
    tree.receipts.push_back(receipt(stored.receipt_id));
    ReceiptsView view;
    view.chosen = stored.receipt_id;
    view.details.push_back(stored);
    return receipts_values(tree, view)[0]["detail"];
}

TEST(Receipts, ASmallTreeIsListedAsItIs) {
    const auto tree = tree_of(3);
    EXPECT_THAT(listed_receipts(tree, ""), ::testing::ElementsAre(0, 1, 2));
}

TEST(Receipts, AReceiptStandsBelowTheOneThatMadeIt) {
    auto tree = tree_of(12);
    for (std::size_t i = 1; i < tree.receipts.size(); ++i)
        tree.receipts[i].parent_receipt_id = tree.receipts[i - 1].receipt_id;
    const auto values = receipts_values(tree, {});
    EXPECT_EQ(values[0]["depth"], 0);
    EXPECT_EQ(values[2]["depth"], 2);
    EXPECT_EQ(values[11]["depth"], 6) << "the page is only so wide";
}

TEST(Receipts, OfALargeTreeTheChosenOneAndTheFailuresAreListed) {
    auto tree = tree_of(500);
    tree.receipts[400] = receipt("failed", true);
    const auto listed = listed_receipts(tree, "r499");
    EXPECT_EQ(listed.size(), kMostListed);
    EXPECT_TRUE(std::is_sorted(listed.begin(), listed.end()));
    EXPECT_THAT(listed, ::testing::IsSupersetOf({0U, 400U, 499U}));
}

TEST(Receipts, ArgumentsAreReadableWhateverTheyAre) {
    const auto args = [](const Json& call) {
        const Json row = {{"actions", Json::array({{{"FunctionCall", call}}})}};
        return detail_of(detail("r", row))["actions"][0];
    };
    const auto json = args(
        {{"method_name", "go"}, {"args_json", {{"a", 1}}}, {"gas", 30'000'000'000'000}, {"deposit", "1"}});
    EXPECT_EQ(json["args"], "{\n  \"a\": 1\n}");
    EXPECT_EQ(json["method"], "go");
    EXPECT_EQ(json["deposit"], "1 yoctoNEAR");
    EXPECT_THAT(json["gas"].get<std::string>(), HasSubstr("Tgas"));
    EXPECT_EQ(args({{"args", chain::base64_encode(chain::bytes_of("plain text"))}})["args"], "plain text");
    EXPECT_THAT(args({{"args", "AAEC"}})["args"].get<std::string>(), HasSubstr("3 bytes, in base64"));
}

TEST(Receipts, OtherActionsAndLogsAndEventsAreTold) {
    const Json row = {{"actions", Json::array({"CreateAccount",
                                               {{"Transfer", {{"deposit", "1000000000000000000000000"}}}}})},
                      {"logs", Json::array({"hello", "EVENT_JSON:{}"})},
                      {"status", "success_value"},
                      {"result", chain::base64_encode(chain::bytes_of("\"42\""))}};
    const auto told =
        detail_of(detail("r", row, R"([{"standard":"nep141","event":"ft_burn","data":[{"amount":"7"}]}])"));
    EXPECT_EQ(told["actions"][0]["name"], "CreateAccount");
    EXPECT_EQ(told["actions"][1]["name"], "Transfer");
    EXPECT_THAT(told["actions"][1]["deposit"].get<std::string>(), HasSubstr("1 NEAR"));
    EXPECT_EQ(told["logs"].size(), 1U) << "an event is told as such";
    EXPECT_EQ(told["events"][0]["name"], "ft_burn");
    EXPECT_THAT(told["events"][0]["data"].get<std::string>(), HasSubstr("\"amount\": \"7\""));
    EXPECT_EQ(told["result"], "\"42\"");
}

TEST(Receipts, WhatIsNestedWithoutEndTakesNeitherTheStackNorThePage) {
    const auto nested = [](std::size_t levels) {
        return std::string(levels, '[') + std::string(levels, ']');
    };
    const auto text = [&](std::size_t levels) {
        const Json row = {{"status", "success_value"},
                          {"result", chain::base64_encode(chain::bytes_of(nested(levels)))}};
        return detail_of(detail("r", row))["result"].get<std::string>();
    };
    EXPECT_EQ(text(100'000), nested(100'000)) << "not read at all";
    EXPECT_EQ(text(1'000), nested(1'000)) << "not indented";
    EXPECT_TRUE(detail_of({"r", nested(100'000), "[]"}).is_null());
}

TEST(Receipts, DetailsStopWhereTheViewIsFullButForTheChosenOne) {
    const auto tree = tree_of(40);
    ReceiptsView view;
    view.chosen = "r39";
    const Json row = {{"logs", Json::array({std::string(8'000, 'x')})}};
    for (const auto& each : tree.receipts) view.details.push_back(detail(each.receipt_id, row));
    std::size_t told = 0;
    for (const auto& each : receipts_values(tree, view))
        if (!each["detail"].is_null()) ++told;
    EXPECT_GE(told, 2U);
    EXPECT_LT(told, 20U);
    EXPECT_FALSE(receipts_values(tree, view)[39]["detail"].is_null());
    EXPECT_EQ(receipts_values(tree, view)[39]["chosen"], true);
}

TEST(Receipts, AStatusIsToldInWords) {
    auto handled = receipt("r", true);
    handled.handling = chain::Handling::handled;
    auto waiting = receipt("w");
    waiting.executed = false;
    waiting.waiting = chain::Waiting::data;
    chain::Judgement tree;
    tree.receipts = {receipt("ok"), receipt("bad", true), handled, waiting};
    const auto values = receipts_values(tree, {});
    EXPECT_EQ(values[0]["status"]["label"], "Succeeded");
    EXPECT_EQ(values[1]["status"]["label"], "Failed");
    EXPECT_EQ(values[2]["status"]["tone"], "odd");
    EXPECT_EQ(values[3]["status"]["label"], "Waits for data");
}

}  // namespace
}  // namespace receiptd::page
