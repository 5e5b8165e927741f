#include "chain/tree/facts.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

using Names = std::vector<std::string>;

TEST(StoredActionFacts, TellNamesMethodAndDeposits) {
    const auto facts = stored_action_facts(
        R"(["CreateAccount", {"Transfer":{"deposit":"10"}},)"
        R"( {"FunctionCall":{"args_json":{"deposit":"1000","method_name":"no","n":123456789012345678901234567890},)"
        R"("method_name":"new","gas":5,"deposit":"7"}}, {"FunctionCall":{"method_name":"other","deposit":"1"}}])");
    EXPECT_EQ(facts.names, (Names{"CreateAccount", "Transfer", "FunctionCall", "FunctionCall"}));
    EXPECT_EQ(facts.method_name, "new");
    EXPECT_EQ(facts.deposit, 18u);
    EXPECT_EQ(facts.beneficiary_id, "");
    EXPECT_FALSE(facts.delegate);
}

TEST(StoredActionFacts, KeepTheArgumentsOfTheFirstCall) {
    EXPECT_EQ(stored_action_facts(R"([{"FunctionCall":{"method_name":"a","args_json": {"n": 1} }},)"
                                  R"({"FunctionCall":{"method_name":"b","args_json":{"n":2}}}])")
                  .args_json,
              R"({"n": 1})");
    EXPECT_EQ(stored_action_facts(R"([{"FunctionCall":{"method_name":"a","args":"AAE="}}])").args_json, "");
}

TEST(StoredActionFacts, TellAddedKeysByTheirAccess) {
    const auto add = [](const std::string& permission) {
        return R"({"AddKey":{"access_key":{"nonce":0,"permission":)" + permission +
               R"(},"public_key":"ed25519:k"}})";
    };
    const auto facts = stored_action_facts(
        "[\"CreateAccount\"," + add(R"("FullAccess")") + "," + add(R"({"FunctionCall":{"allowance":null}})") +
        "," + add(R"({"GasKeyFullAccess":{"balance":"0","num_nonces":1}})") + "," +
        add(R"({"GasKeyFunctionCall":[{"num_nonces":1},{"receiver_id":"a"}]})") + "," +
        add(R"({"Newer":{}})") + R"(,{"Delegate":{"delegate_action":{"sender_id":"a","actions":[)" +
        add(R"("FullAccess")") + R"(]}}},{"DeleteKey":{"public_key":"ed25519:old"}}])");
    const std::vector<AddedKey> keys = {{1, "ed25519:k", "full"},
                                        {2, "ed25519:k", "function_call"},
                                        {3, "ed25519:k", "full"},
                                        {4, "ed25519:k", "function_call"},
                                        {5, "ed25519:k", ""}};
    EXPECT_EQ(facts.keys, keys);
    EXPECT_EQ(facts.names.size(), 8u);
}

TEST(ActionFacts, OfAnAnswerAreThoseOfItsRow) {
    Action call;
    call.kind = ActionKind::function_call;
    call.name = "FunctionCall";
    call.method_name = "pay";
    call.args = "IHsibiI6MX0K";  // " {"n":1}" and a new line
    Action key;
    key.kind = ActionKind::add_key;
    key.name = "AddKey";
    key.json = R"({"AddKey":{"public_key":"ed25519:k","access_key":{"nonce":0,"permission":"FullAccess"}}})";
    const auto facts = action_facts({call, key});
    EXPECT_EQ(facts.args_json, R"({"n":1})");
    EXPECT_EQ(facts.keys, (std::vector<AddedKey>{{1, "ed25519:k", "full"}}));
    call.args = "AAE=";
    EXPECT_EQ(action_facts({call}).args_json, "");
}

TEST(StoredActionFacts, WithoutACallGoByTheFirstName) {
    const auto facts =
        stored_action_facts(R"([{"Stake":{"stake":"1"}},{"DeleteAccount":{"beneficiary_id":"bob.near"}}])");
    EXPECT_EQ(facts.method_name, "Stake");
    EXPECT_EQ(facts.beneficiary_id, "bob.near");
    EXPECT_EQ(stored_action_facts(R"(["CreateAccount"])").method_name, "CreateAccount");
}

TEST(StoredActionFacts, LookIntoDelegationsOfEveryVersion) {
    const std::string inner =
        R"({"sender_id":"user.near","receiver_id":"app.near","actions":[{"FunctionCall":{"method_name":"play",)"
        R"("deposit":"4"}},{"DeleteAccount":{"beneficiary_id":"x.near"}}]})";
    for (const auto& json :
         {R"([{"Delegate":{"delegate_action":)" + inner + R"(,"signature":"s"}}])",
          R"([{"DelegateV2":{"delegate_action":{"V2":)" + inner + R"(},"signature":"s"}}])"}) {
        const auto facts = stored_action_facts(json);
        EXPECT_EQ(facts.delegate, (DelegateFacts{"user.near", "app.near"})) << json;
        EXPECT_EQ(facts.deposit, 4u) << json;
        EXPECT_EQ(facts.names.size(), 1u) << json;
        EXPECT_EQ(facts.beneficiary_id, "") << json;
    }
}

TEST(StoredActionFacts, ThatCannotBeReadTellWhatCameBefore) {
    EXPECT_TRUE(stored_action_facts("").names.empty());
    EXPECT_TRUE(stored_action_facts("{}").names.empty());
    EXPECT_TRUE(stored_action_facts("null").names.empty());
    EXPECT_EQ(stored_action_facts(R"(["CreateAccount", 7, "Transfer"])").names, Names{"CreateAccount"});
    EXPECT_EQ(stored_action_facts(R"([{"Transfer":{"deposit":"x"}}])").deposit, 0u);
    EXPECT_EQ(
        stored_action_facts(R"([{"FunctionCall":{"method_name":"a\u0000b","deposit":"1"}}])").method_name,
        std::string("a\0b", 3));
}

TEST(StoredActionFacts, DoNotOverflow) {
    const std::string most = R"({"Transfer":{"deposit":"340282366920938463463374607431768211455"}})";
    EXPECT_EQ(stored_action_facts("[" + most + "," + most + "]").deposit, ~u128{0});
}

TEST(StoredActions, AreReadHoweverDeepTheyNest) {
    const std::pair<std::string, std::string> nests[] = {
        {R"({"V2":)", "}"}, {R"({"actions":[{"Delegate":{"delegate_action":)", "}}]}"}};
    for (const auto& [open, close] : nests) {
        std::string json = R"([{"Delegate":{"delegate_action":)";
        for (int i = 0; i < 100'000; ++i) json += open;
        json += "{}";
        for (int i = 0; i < 100'000; ++i) json += close;
        EXPECT_EQ(stored_action_facts(json + "}}]").names, std::vector<std::string>{"Delegate"});
    }
}

}  // namespace
}  // namespace receiptd::chain
