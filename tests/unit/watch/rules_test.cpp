#include "watch/rules.hpp"

#include <gtest/gtest.h>

namespace receiptd::watch {
namespace {

chain::SeenTransaction call(std::string signer, std::string receiver, std::vector<std::string> methods) {
    chain::SeenTransaction seen;
    seen.signer_id = std::move(signer);
    seen.receiver_id = std::move(receiver);
    seen.methods = std::move(methods);
    return seen;
}

TEST(WatchRules, AllGlobsOfARuleMustMatch) {
    const Rules rules({{"payments", "*.alice.near", "token.near", "ft_transfer*"}});
    EXPECT_TRUE(rules.match(call("x.alice.near", "token.near", {"ft_transfer_call"})));
    EXPECT_FALSE(rules.match(call("x.bob.near", "token.near", {"ft_transfer"})));
    EXPECT_FALSE(rules.match(call("x.alice.near", "other.near", {"ft_transfer"})));
    EXPECT_FALSE(rules.match(call("x.alice.near", "token.near", {})));
}

TEST(WatchRules, AnAccountBehindARelayerMatchesByClaim) {
    const Rules rules({{"mine", "*.alice.near", "", ""}});
    auto relayed = call("relayer.near", "x.alice.near", {"mint"});
    EXPECT_FALSE(rules.match(relayed));
    relayed.named_user = "x.alice.near";
    ASSERT_TRUE(rules.match(relayed));
    EXPECT_TRUE(rules.match(relayed)->by_claim) << "a relayer can name any account";
    const Rules both({{"mine", "*.alice.near", "", ""}, {"relayer", "relayer.near", "", ""}});
    ASSERT_TRUE(both.match(relayed));
    EXPECT_EQ(both.match(relayed)->rule->name, "relayer") << "whose signer is proven";
    EXPECT_FALSE(both.match(relayed)->by_claim);
}

TEST(WatchRules, OneOfSeveralCallsIsEnough) {
    const Rules rules({{"mints", "", "", "mint"}});
    EXPECT_TRUE(rules.match(call("a", "b", {"storage_deposit", "mint"})));
}

TEST(WatchRules, TheFirstRuleThatMatchesIsNamed) {
    const Rules rules({{"one", "nobody", "", ""}, {"two", "*", "", ""}, {"three", "", "*", ""}});
    ASSERT_TRUE(rules.match(call("a", "b", {})));
    EXPECT_EQ(rules.match(call("a", "b", {}))->rule->name, "two");
}

}  // namespace
}  // namespace receiptd::watch
