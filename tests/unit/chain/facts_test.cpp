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

}  // namespace
}  // namespace receiptd::chain
