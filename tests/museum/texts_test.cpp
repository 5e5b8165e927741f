// Reports of JSON, logs and numbers that programs could not read, store or show.
#include "museum/stage.hpp"

#include "base/exact_json.hpp"
#include "chain/json/decode.hpp"
#include "chain/tree/receipt_tree.hpp"
#include "chain/tree/text.hpp"
#include "chain/wire/actions.hpp"
#include "watch/reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::museum {
namespace {

using testing::HasSubstr;
using testing::Not;

// A contract logs these texts in one call.
struct Logged {
    explicit Logged(const std::vector<std::string>& logs) {
        Json program = Json::array();
        for (const auto& log : logs) program.push_back({{"log", log}});
        const auto hash = stage.run(program.dump());
        stage.blocks(10);
        const auto stored = stage.stored();
        for (auto& row : stored.rows(Table::events, hash)) events.push_back(row);
        const auto receipts = stored.rows(Table::receipts, hash);
        initial = chain::testing::row_with(receipts, "role", "initial");
    }
    Stage stage;
    Rows events;
    Row initial;
};

TEST(Texts, AnEventWhoseDataIsNoListIsAnEvent) {
    const Logged logged(
        {R"(EVENT_JSON:{"standard":"nep171","version":"1.0.0","event":"nft_mint","data":"x"})"});
    ASSERT_EQ(logged.events.size(), 1u);
    EXPECT_EQ(logged.events[0]["event"], "nft_mint");
    EXPECT_EQ(logged.events[0]["data"], "\"x\"");
}

TEST(Texts, AnEventWithoutAStandardIsAnEvent) {
    const Logged logged({R"(EVENT_JSON:{"time":1647117512267,"event":"e"})"});
    ASSERT_EQ(logged.events.size(), 1u);
    EXPECT_EQ(logged.events[0]["event"], "e");
    EXPECT_EQ(logged.events[0]["standard"].value_or(""), "");
}

TEST(Texts, LogsThatAreAlmostEventsAreLogsAndNoRowIsLost) {
    const std::vector<std::string> logs{R"(EVENT_JSON:{"event":"e",})",
                                        R"(EVENT_JSON:{"event":"e"}{"event":"f"})",
                                        "EVENT_JSON:{\"event\":\"e\"", "EVENT_JSON: {\"event\":\"blank\"}"};
    const Logged logged(logs);
    ASSERT_EQ(logged.events.size(), 1u) << "a blank behind the colon is no fault";
    EXPECT_EQ(logged.events[0]["event"], "blank");
    EXPECT_EQ(chain::testing::read_array(logged.initial["logs"]), logs);
}

TEST(Texts, ALogWithNestedJsonStaysTheTextThatItIs) {
    const std::string log = R"({"a":{"b":[{"c":1}]},"d":"[object Object]"})";
    const Logged logged({log});
    EXPECT_EQ(chain::testing::read_array(logged.initial["logs"]), std::vector<std::string>{log});
}

TEST(Texts, NulIsShownAndItsSixLettersAreLetters) {
    const std::string nul("a\0b", 3);
    const Logged logged({nul, R"(EVENT_JSON:{"event":"e","data":{"is":"\u0000","letters":"\\u0000"}})"});
    EXPECT_EQ(chain::testing::read_array(logged.initial["logs"])[0], "a\u2400b");
    ASSERT_EQ(logged.events.size(), 1u);
    EXPECT_EQ(logged.events[0]["data"], R"({"is":"\u2400","letters":"\\u0000"})");
}

TEST(Texts, NulInTheMethodsOfAKeyIsShown) {
    Stage stage;
    wire::FunctionCallPermission permission;
    permission.receiver_id = "script.sandbox";
    permission.method_names = {std::string("a\0b", 3)};
    const auto hash = stage.send(
        "alice.sandbox", "alice.sandbox",
        {{wire::AddKey{stage.key_of("bob.sandbox").public_key(), wire::AccessKey{0, permission}}}});
    stage.blocks(10);
    const auto stored = stage.stored();
    EXPECT_EQ(stored.end(hash), "succeeded, NEAR says success");
    const auto actions = Json::parse(*stored.rows(Table::transactions, hash).at(0)["actions"]);
    EXPECT_EQ(actions[0]["AddKey"]["access_key"]["permission"]["FunctionCall"]["method_names"],
              Json::array({"a\u2400b"}));
}

TEST(Texts, NumbersKeepTheirDigitsWhateverTheirSize) {
    for (const char* number :
         {"9007199254740993", "100000000000220008", "340282366920938463463374607431768211455"}) {
        EXPECT_EQ(base::write_json(base::read_json(number)), number);
        const Logged logged({R"(EVENT_JSON:{"event":"e","data":{"n":)" + std::string(number) + "}}"});
        EXPECT_EQ(logged.events.at(0)["data"], R"({"n":)" + std::string(number) + "}");
    }
}

TEST(Texts, AHeaderWithAVariantOfTomorrowIsRead) {
    Stage stage;
    stage.blocks(1);
    auto block = Json::parse(*stage.ledger().block(stage.ledger().tip()));
    block["header"]["validator_proposals"] =
        Json::array({{{"validator_stake_struct_version", "V14"}, {"account_id", "a.near"}, {"stake", 14}}});
    EXPECT_TRUE(chain::decode_block(block.dump()));
}

TEST(Texts, AHashOfAnotherChainIsSaidToBeThat) {
    const std::string of_64_bytes(88, '3');
    EXPECT_FALSE(watch::parse_reference(of_64_bytes));
    EXPECT_NE(watch::what_else(of_64_bytes), "");
}

TEST(Texts, APanicMovesNoCursorAndOpensNoTag) {
    chain::ReceiptTree tree("TX");
    chain::OutcomeFacts failed;
    failed.id = "TX";
    failed.status = chain::StatusKind::failure;
    failed.failure = {"contract_panic", "\x1b[2J<script>alert(1)</script>\r\n"};
    failed.at = chain::ExecutedAt{1, 1};
    chain::TransactionFacts transaction;
    transaction.tx_hash = "TX";
    tree.add(transaction);
    tree.add(failed);
    const auto text = chain::render_tree("TX", transaction, tree.judge());
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\r")));
}

}  // namespace
}  // namespace receiptd::museum
