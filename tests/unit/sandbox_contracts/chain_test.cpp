// The contracts under the real execution model.
#include "sandbox/contracts/json_args.hpp"
#include "small_chain.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {
namespace {

using Texts = std::vector<std::string>;

SmallChain::Tree transfer_call(SmallChain& chain, const std::string& receiver, const std::string& msg,
                               const std::string& memo = "") {
    sim::Json args{{"receiver_id", receiver}, {"amount", "100"}, {"msg", msg}};
    if (!memo.empty()) args["memo"] = memo;
    return chain.call("ft.sandbox", "ft_transfer_call", args.dump(), 1, 100 * sim::kTera);
}

TEST(TokenOnChain, IsKeptByAReceiver) {
    SmallChain chain;
    const auto tree = transfer_call(chain, "receiver.sandbox", "keep");
    EXPECT_EQ(tree.value(), "\"100\"");
    EXPECT_EQ(tree.failures, Texts{});
    EXPECT_EQ(chain.tokens_of("receiver.sandbox"), "\"100\"");
    ASSERT_EQ(tree.receipts.size(), 3U);
    EXPECT_EQ(tree.receipts[2].first, "ft_resolve_transfer");
}

TEST(TokenOnChain, ComesBackIfTheReceiverFails) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"panic:no, thanks", "ft_on_transfer: Smart contract panicked: no, thanks"},
        {"burn_gas", "ft_on_transfer: Exceeded the prepaid gas."},
        {"call:bob.sandbox:hello",
         R"(hello: {"FunctionCallError":{"CompilationError":{"CodeDoesNotExist":{"account_id":"bob.sandbox"}}}})"},
    };
    for (const auto& [msg, failure] : cases) {
        SmallChain chain;
        const auto tree = transfer_call(chain, "receiver.sandbox", msg);
        EXPECT_EQ(tree.value(), "\"0\"") << msg;
        EXPECT_EQ(tree.failures, Texts{failure});
        EXPECT_EQ(chain.tokens_of("alice.sandbox"), "\"1000\"");
    }
}

TEST(TokenOnChain, ComesBackIfTheReceiverSaysSo) {
    SmallChain chain;
    EXPECT_EQ(transfer_call(chain, "receiver.sandbox", "return").value(), "\"0\"");
    EXPECT_EQ(transfer_call(chain, "receiver.sandbox", "return:40").value(), "\"60\"");
    EXPECT_EQ(transfer_call(chain, "receiver.sandbox", "garbage").value(), "\"0\"");
    EXPECT_EQ(chain.tokens_of("receiver.sandbox"), "\"60\"");
}

TEST(TokenOnChain, ComesBackOnlyAsFarAsTheReceiverHasNotSpentIt) {
    SmallChain chain;
    // Sends 70 on to bob, and says only then that it used nothing.
    const auto tree = transfer_call(chain, "script.sandbox", R"([
        {"call":{"account":"ft.sandbox","method":"ft_transfer","args":{"receiver_id":"bob.sandbox","amount":"70"},
                 "gas":10,"deposit":"1","as":"spent"}},
        {"then":{"after":"spent","run":["fail_if_promise_failed",{"return":"100"}],"gas":10,"as":"answer"}},
        {"return_promise":"answer"}])");
    EXPECT_EQ(tree.failures, Texts{});
    EXPECT_EQ(tree.value(), "\"70\"");
    EXPECT_EQ(chain.tokens_of("alice.sandbox"), "\"930\"");
    EXPECT_EQ(chain.tokens_of("bob.sandbox"), "\"70\"");
}

TEST(TokenOnChain, StaysWithTheReceiverWhenTheCallbackFails) {
    SmallChain chain;
    const auto seen = transfer_call(chain, "receiver.sandbox", "return", std::string(kMemoResolvePanics));
    EXPECT_FALSE(seen.succeeded());
    EXPECT_EQ(seen.failures,
              Texts{"ft_resolve_transfer: Smart contract panicked: " + std::string(kResolvePanic)});
    const auto unseen =
        transfer_call(chain, "receiver.sandbox", "return", std::string(kMemoResolvePanicsUnseen));
    EXPECT_EQ(unseen.value(), "\"100\"");
    EXPECT_EQ(unseen.failures, seen.failures);
    EXPECT_EQ(chain.tokens_of("receiver.sandbox"), "\"200\"");
    chain.call("ft.sandbox", "ft_arm_resolve_failure", R"({"account_id":"alice.sandbox"})");
    EXPECT_EQ(transfer_call(chain, "receiver.sandbox", "return").failures, seen.failures);
    EXPECT_EQ(transfer_call(chain, "receiver.sandbox", "return").value(), "\"0\"");
}

TEST(TokenOnChain, RegistersAccountsAndSendsTheSurplusBack) {
    SmallChain chain;
    const auto before = chain.state_of("ft.sandbox").account("ft.sandbox")->amount;
    const auto tree = chain.call("ft.sandbox", "storage_deposit", R"({"account_id":"carol.sandbox"})", kNear);
    EXPECT_EQ(tree.failures, Texts{});
    EXPECT_EQ(tree.value(), R"({"total":"1250000000000000000000","available":"0"})");
    const auto gained = chain.state_of("ft.sandbox").account("ft.sandbox")->amount - before;
    EXPECT_GE(gained, kFtStorageDeposit);
    EXPECT_LT(gained, kFtStorageDeposit * 2);  // its share of the gas, not the deposit
}

TEST(TokenOnChain, AnswersViewsAndFailsThemAsQueryTellsIt) {
    SmallChain chain;
    const auto supply = chain.view("ft.sandbox", "ft_total_supply", "").value;
    EXPECT_EQ(std::string(supply.begin(), supply.end()), "\"1000\"");
    EXPECT_EQ(chain.view("ft.sandbox", "ft_balance_of", "{}").error.find("missing field `account_id`") ==
                  std::string::npos,
              false);
    EXPECT_NE(chain.view("ft.sandbox", "ft_transfer", R"({"receiver_id":"bob.sandbox","amount":"1"})").error,
              "");
    EXPECT_NE(chain.view("ft.sandbox", "nope", "").error, "");
}

TEST(YieldOnChain, EndsWithTheAnswer) {
    SmallChain chain;
    const auto asked = chain.send(
        "alice.sandbox", "yield.sandbox",
        {{sim::wire::FunctionCall{"request", contracts::to_bytes(R"({"id":"a"})"), 50 * sim::kTera, 0}}});
    for (int i = 0; i < 5; ++i) chain.step();
    const auto answered = chain.call("yield.sandbox", "respond", R"({"id":"a","value":"fine"})");
    EXPECT_EQ(answered.value(), "true");
    EXPECT_EQ(chain.tree(asked).value(), "\"fine\"");
}

TEST(YieldOnChain, EndsWithItsTimeout) {
    SmallChain chain;
    EXPECT_EQ(chain.call("yield.sandbox", "request", R"({"id":"a"})").value(), "\"timeout\"");
    const auto tree = chain.call("yield.sandbox", "request", R"({"id":"b","panic_on_timeout":true})");
    EXPECT_FALSE(tree.succeeded());
    EXPECT_EQ(tree.failures, Texts{"on_resume: Smart contract panicked: timeout"});
    EXPECT_EQ(chain.call("yield.sandbox", "respond", R"({"id":"b","value":1})").value(), "false");
}

TEST(ScriptOnChain, HandlesAFailureInACallback) {
    SmallChain chain;
    const auto tree = chain.run(R"({"steps":[{"call":{"account":"receiver.sandbox","method":"nope","as":"a"}},
        {"then":{"after":"a","run":["log_promise_results",{"return":"handled"}],"as":"b"}},{"return_promise":"b"}]})");
    EXPECT_EQ(tree.value(), "\"handled\"");
    EXPECT_EQ(tree.logs, Texts{"promise result 0: failed"});
    EXPECT_EQ(tree.failures, Texts{R"(nope: {"FunctionCallError":{"MethodResolveError":"MethodNotFound"}})"});
}

TEST(ScriptOnChain, FailsUnseenInACallbackNobodyReturns) {
    SmallChain chain;
    const auto tree = chain.run(R"([{"call":{"account":"@self","run":[{"return":1}],"as":"a"}},
        {"then":{"after":"a","run":[{"panic":"late"}]}},{"return":"fine"}])");
    EXPECT_EQ(tree.value(), "\"fine\"");
    EXPECT_EQ(tree.failures, Texts{"run: Smart contract panicked: late"});
}

TEST(ScriptOnChain, JoinsPromisesOfSeveralShards) {
    SmallChain chain;
    const auto tree = chain.run(R"([
        {"call":{"account":"ft.sandbox","method":"ft_total_supply","gas":10,"as":"supply"}},
        {"call":{"account":"script.sandbox","run":[{"return_text":"hi"}],"gas":10,"as":"text"}},
        {"transfer":{"to":"bob.sandbox","amount":"1","as":"paid"}},
        {"and":{"promises":["supply","text","paid"],"as":"all"}},
        {"then":{"after":"all","run":["log_promise_results"]}}])");
    EXPECT_EQ(tree.failures, Texts{});
    EXPECT_EQ(tree.logs, (Texts{"promise result 0: \"1000\"", "promise result 1: hi", "promise result 2: "}));
    EXPECT_EQ(tree.receipts.size(), 5U);
}

TEST(ScriptOnChain, GoesAsDeepAsItsGasLasts) {
    std::string steps = R"([{"return":"bottom"}])";
    for (int depth = 0; depth < 12; ++depth) {
        steps = R"([{"call":{"account":"script.sandbox","run":)" + steps +
                R"(,"as":"a"}},{"return_promise":"a"}])";
    }
    SmallChain chain;
    const auto tree = chain.run(steps);
    EXPECT_EQ(tree.value(), "\"bottom\"");
    EXPECT_EQ(tree.receipts.size(), 13U);
}

TEST(ScriptOnChain, CreatesAnAccountThatRunsAContract) {
    SmallChain chain;
    const auto tree = chain.run(
        R"([{"batch":{"account":"token.script.sandbox","actions":["create_account",{"transfer":"5000000000000000000000000"},
        {"deploy":"ft"},{"function_call":{"method":"ft_mint","args":{"account_id":"bob.sandbox","amount":"7"},"gas":10}}]}}])");
    EXPECT_EQ(tree.failures, Texts{});
    const auto supply = chain.view("token.script.sandbox", "ft_total_supply", "").value;
    EXPECT_EQ(std::string(supply.begin(), supply.end()), "\"7\"");
}

TEST(ScriptOnChain, YieldsUntilItIsResumed) {
    SmallChain chain;
    const auto waiting = chain.send(
        "alice.sandbox", "script.sandbox",
        {{sim::wire::FunctionCall{
            "run",
            contracts::to_bytes(
                R"([{"yield":{"id":"y","run":[{"return_promise_result":0}],"gas":10,"as":"p"}},{"return_promise":"p"}])"),
            50 * sim::kTera, 0}}});
    for (int i = 0; i < 4; ++i) chain.step();
    EXPECT_EQ(chain.run(R"([{"resume":{"id":"y","text":"awake"}}])").failures, Texts{});
    EXPECT_EQ(chain.tree(waiting).value(), "awake");
}

TEST(ScriptOnChain, SurvivesHostilePrograms) {
    SmallChain chain;
    for (
        const std::string& program :
        {std::string(10'000, '['), std::string("[{\"log\":\"\xFF\"}]"), std::string("\0\0", 2),
         std::string(R"([{"log":"\u0000"}])"), std::string(R"([{"and":{"promises":["a"],"as":"a"}}])"),
         std::string(R"([{"call":{"account":"a.b","method":""}}])"),
         std::string(
             R"([{"call":{"account":"a.b","method":"m","weight":18446744073709551615}},{"call":{"account":"a.b","method":"m","weight":18446744073709551615}}])"),
         std::string(R"([{"call":{"account":"a.b","method":"m","gas":1000000}}])")}) {
        EXPECT_LE(chain.run(program).receipts.size(), 3U) << program.substr(0, 80);
    }
}

}  // namespace
}  // namespace receiptd::sandbox
