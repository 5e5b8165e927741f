#include "sandbox/contracts/script.hpp"

#include "fake_host.hpp"
#include "sandbox/contracts/builtin.hpp"

#include "chain/wire/base64.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

namespace receiptd::sandbox {
namespace {

using sim::kTera;
namespace wire = sim::wire;

Called run(FakeHost& host, std::string_view program) { return call(ScriptContract(), host, "run", program); }
std::string panic_of(std::string_view program) {
    FakeHost host;
    return run(host, program).panic;
}

const std::string kKey = "ed25519:11111111111111111111111111111111";

TEST(Script, RunsItsStepsInOrder) {
    FakeHost host;
    const auto done = run(host, R"({"steps":[{"log":"one"},{"write":{"key":"k","value":"v"}},{"read":"k"},
                                    {"remove":"k"},{"read":"k"},{"return":{"a":[1]}},{"log":"two"}]})");
    EXPECT_EQ(done.panic, "");
    EXPECT_EQ(done.logs, (std::vector<std::string>{"one", "k = v", "k is not set", "two"}));
    EXPECT_EQ(done.value, R"({"a":[1]})");
}

TEST(Script, TakesAListOfStepsToo) {
    FakeHost host;
    EXPECT_EQ(run(host, R"([{"return_text":"hi"}])").value, "hi");
    EXPECT_EQ(run(host, R"([{"return_base64":"AAE="}])").value, std::string("\0\1", 2));
    EXPECT_EQ(run(host, "[]").panic, "");
}

TEST(Script, StopsAtAPanic) {
    FakeHost host;
    const auto done = run(host, R"([{"write":{"key":"k","value":"v"}},{"panic":"enough"},{"log":"never"}])");
    EXPECT_EQ(done.panic, "enough");
    EXPECT_TRUE(done.logs.empty());
    EXPECT_TRUE(host.storage.empty());
}

TEST(Script, UsesGasInTgasOrAsAString) {
    FakeHost host;
    run(host, "[]");
    const auto base = host.used;
    run(host, R"([{"use_gas":2}])");
    const auto two = host.used;
    run(host, R"([{"use_gas":"2000000000001"}])");
    EXPECT_EQ(host.used, two + 1);
    run(host, R"([{"use_gas":0.5}])");
    EXPECT_EQ(host.used, two - 3 * kTera / 2);
    EXPECT_GT(two, base + 2 * kTera);
    EXPECT_EQ(run(host, R"([{"use_gas":200}])").panic, "Exceeded the prepaid gas.");
}

TEST(Script, KeepsAndReturnsStoredText) {
    FakeHost host;
    run(host, R"([{"write":{"key":"k","value":"v"}}])");
    EXPECT_EQ(run(host, R"([{"return_stored":"k"}])").value, "v");
    EXPECT_EQ(run(host, R"([{"return_stored":"other"}])").panic,
              "step 1 (return_stored): nothing is stored under \"other\"");
}

TEST(ScriptPromises, CallWithTheGasThatIsLeftUnlessTold) {
    FakeHost host;
    EXPECT_EQ(run(host, R"([{"call":{"account":"bob.sandbox","method":"m"}},
                           {"call":{"account":"bob.sandbox","method":"m","args":{"x":"1"},"gas":7,"deposit":"3"}},
                           {"call":{"account":"@signer","method":"m","args_base64":"AAE=","gas":"8","weight":2}}])")
                  .panic,
              "");
    ASSERT_EQ(host.promises.size(), 3U);
    EXPECT_EQ(function_call(host.promises[0]), (wire::FunctionCall{"m", contracts::to_bytes("{}"), 0, 0}));
    EXPECT_EQ(host.promises[0].weights.at(0), 1U);
    EXPECT_EQ(function_call(host.promises[1]),
              (wire::FunctionCall{"m", contracts::to_bytes(R"({"x":"1"})"), 7 * kTera, 3}));
    EXPECT_EQ(host.promises[1].weights.at(0), 0U);
    EXPECT_EQ(host.promises[2].account_id, "alice.sandbox");
    EXPECT_EQ(function_call(host.promises[2]), (wire::FunctionCall{"m", {0, 1}, 8, 0}));
    EXPECT_EQ(host.promises[2].weights.at(0), 2U);
}

TEST(ScriptPromises, NestPrograms) {
    FakeHost host;
    EXPECT_EQ(run(host, R"([{"call":{"account":"@self","run":[{"log":"inner"}]}}])").panic, "");
    EXPECT_EQ(function_call(host.promises[0]).method_name, "run");
    EXPECT_EQ(text(function_call(host.promises[0]).args), R"({"steps":[{"log":"inner"}]})");
}

TEST(ScriptPromises, AreChainedJoinedAndReturnedByName) {
    FakeHost host;
    EXPECT_EQ(run(host, R"([{"call":{"account":"a.b","method":"m","as":"one"}},
                           {"transfer":{"to":"@predecessor","amount":"5","as":"two"}},
                           {"and":{"promises":["one","two"],"as":"both"}},
                           {"then":{"after":"both","run":["log_promise_results"],"as":"end"}},
                           {"then":{"after":"end","account":"c.d","method":"m"}},
                           {"return_promise":"end"}])")
                  .panic,
              "");
    ASSERT_EQ(host.promises.size(), 5U);
    EXPECT_EQ(std::get<wire::Transfer>(host.promises[1].actions.at(0).value).deposit, 5U);
    EXPECT_TRUE(host.promises[2].is_joint);
    EXPECT_EQ(host.promises[2].after, (std::vector<sim::PromiseIndex>{0, 1}));
    EXPECT_EQ(host.promises[3].account_id, "contract.sandbox");
    EXPECT_EQ(host.promises[3].after, std::vector<sim::PromiseIndex>{2});
    EXPECT_EQ(host.promises[4].account_id, "c.d");
    EXPECT_EQ(host.returned_promise, 3U);
}

TEST(ScriptPromises, BatchAnyAction) {
    FakeHost host;
    const auto done =
        run(host, R"([{"batch":{"account":"new.contract.sandbox","actions":["create_account",{"transfer":"9"},
        {"deploy":"ft"},{"deploy_base64":"AAE="},{"add_key":{"public_key":")" +
                      kKey + R"("}},
        {"add_key":{"public_key":")" +
                      kKey + R"(","receiver":"a.b","methods":["m"],"allowance":"4"}},
        {"delete_key":")" +
                      kKey + R"("},{"function_call":{"method":"m","gas":1,"deposit":"2"}},
        {"stake":{"amount":"6","public_key":")" +
                      kKey + R"("}},{"delete_account":"@self"}],"as":"x"}},{"return_promise":"x"}])");
    ASSERT_EQ(done.panic, "");
    const auto key = *sim::PublicKey::parse(kKey);
    wire::FunctionCallPermission permission{4, "a.b", {"m"}};
    const std::vector<wire::Action> expected{{wire::CreateAccount{}},
                                             {wire::Transfer{9}},
                                             {wire::DeployContract{contracts::to_bytes(kFtCode)}},
                                             {wire::DeployContract{{0, 1}}},
                                             {wire::AddKey{key, {}}},
                                             {wire::AddKey{key, {0, permission}}},
                                             {wire::DeleteKey{key}},
                                             {wire::FunctionCall{"m", contracts::to_bytes("{}"), kTera, 2}},
                                             {wire::Stake{6, key}},
                                             {wire::DeleteAccount{"contract.sandbox"}}};
    EXPECT_EQ(host.promises.at(0).actions, expected);
}

TEST(ScriptPromises, YieldAndResumeById) {
    FakeHost host;
    EXPECT_EQ(
        run(host,
            R"([{"yield":{"id":"y","run":["log_promise_results"],"gas":9,"as":"p"}},{"return_promise":"p"}])")
            .panic,
        "");
    EXPECT_EQ(host.yields.at(0).method_name, "run");
    EXPECT_EQ(host.yields.at(0).args, R"({"steps":["log_promise_results"]})");
    EXPECT_EQ(host.yields.at(0).gas, 9 * kTera);
    EXPECT_EQ(run(host, R"([{"resume":{"id":"y","value":{"n":1}}}])").panic, "");
    EXPECT_EQ(host.resumed.at(0).second, R"({"n":1})");
    EXPECT_EQ(run(host, R"([{"resume":{"id":"y","text":"again"}}])").panic,
              "step 1 (resume): no yield has the id \"y\"");
    run(host, R"([{"yield":{"id":"y","method":"run"}}])");
    host.waiting.clear();
    EXPECT_EQ(run(host, R"([{"resume":{"id":"y","base64":"AAE="}}])").logs,
              std::vector<std::string>{"the yield y waits no more"});
}

TEST(ScriptResults, AreLoggedReturnedAndJudged) {
    FakeHost host;
    host.results = {contracts::to_bytes("\"x\""), sim::Bytes{0xFF}, std::nullopt, sim::Bytes{}};
    EXPECT_EQ(run(host, R"(["log_promise_results"])").logs,
              (std::vector<std::string>{"promise result 0: \"x\"", "promise result 1 (base64): /w==",
                                        "promise result 2: failed", "promise result 3: "}));
    EXPECT_EQ(run(host, R"([{"return_promise_result":0}])").value, "\"x\"");
    EXPECT_EQ(run(host, R"([{"return_promise_result":2}])").panic,
              "step 1 (return_promise_result): promise result 2 failed");
    EXPECT_EQ(run(host, R"([{"return_promise_result":4}])").panic,
              "step 1 (return_promise_result): there are 4 promise results");
    EXPECT_EQ(run(host, R"(["fail_if_promise_failed"])").panic, "promise result 2 failed");
    const std::string fork =
        R"([{"if_promise_failed":{"then":[{"log":"bad"}],"else":[{"log":"good"}]}},{"log":"end"}])";
    EXPECT_EQ(run(host, fork).logs, (std::vector<std::string>{"bad", "end"}));
    host.results = {sim::Bytes{}};
    EXPECT_EQ(run(host, fork).logs, (std::vector<std::string>{"good", "end"}));
    EXPECT_EQ(run(host, R"(["fail_if_promise_failed",{"if_promise_failed":{"then":[{"panic":"x"}]}}])").panic,
              "");
}

TEST(ScriptErrors, NameTheStepAndWhatWasExpected) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "program: not JSON, or nested deeper than 127"},
        {"{", "program: not JSON, or nested deeper than 127"},
        {std::string(100'000, '['), "program: not JSON, or nested deeper than 127"},
        {"5", "program: wanted {\"steps\": [...]} or a list of steps"},
        {"{}", "program: \"steps\" is missing"},
        {R"({"steps":[],"more":1})", "program: unknown member \"more\""},
        {R"({"steps":{}})", "program: \"steps\": wanted a list, not {}"},
        {"[5]", "step 1: wanted a step, an object with one member or a text, not 5"},
        {R"([{"log":"a","panic":"b"}])",
         "step 1: wanted a step, an object with one member or a text, not {\"log\":\"a\",\"panic\":\"b\"}"},
        {R"([{"log":"a"},{"lag":"b"}])", "step 2: no such step: \"lag\""},
        {R"([{"log":5}])", "step 1 (log): wanted a text, not 5"},
        {R"(["log"])", "step 1 (log): wanted a text, not null"},
        {R"([{"use_gas":-1}])",
         "step 1 (use_gas): wanted a number of Tgas, or gas as a decimal string, not -1"},
        {R"([{"use_gas":1e300}])",
         "step 1 (use_gas): wanted a number of Tgas, or gas as a decimal string, not 1e+300"},
        {R"([{"use_gas":"18446744073709551616"}])",
         "step 1 (use_gas): wanted a number of Tgas, or gas as a decimal string, not "
         "\"18446744073709551616\""},
        {R"([{"call":{"method":"m"}}])", "step 1 (call): \"account\" is missing"},
        {R"([{"call":{"account":"a.b"}}])", "step 1 (call): \"method\" is missing"},
        {R"([{"call":{"account":"A","method":"m"}}])",
         "step 1 (call): \"account\": not an account id: \"A\""},
        {R"([{"call":{"account":"a.b","method":"m","deposit":1}}])",
         "step 1 (call): \"deposit\": wanted an amount of yocto as a decimal string, not 1"},
        {R"([{"call":{"account":"a.b","method":"m","run":[]}}])",
         "step 1 (call): \"run\" stands for a method and its args: give one or the other"},
        {R"([{"call":{"account":"a.b","method":"m","args":1,"args_base64":""}}])",
         "step 1 (call): \"args\" and \"args_base64\" exclude each other"},
        {R"([{"call":{"account":"a.b","method":"m","agrs":1}}])", "step 1 (call): unknown member \"agrs\""},
        {R"([{"call":{"account":"a.b","method":"m","weight":-2}}])",
         "step 1 (call): \"weight\": wanted a whole number, not -2"},
        {R"([{"then":{"account":"a.b","method":"m"}}])", "step 1 (then): \"after\" is missing"},
        {R"([{"then":{"after":"x","method":"m"}}])",
         "step 1 (then): \"after\": no promise has the name \"x\""},
        {R"([{"return_promise":"x"}])", "step 1 (return_promise): no promise has the name \"x\""},
        {R"([{"and":{"promises":[],"as":"x"}}])", "step 1 (and): \"promises\": wanted at least one name"},
        {R"([{"yield":{"id":"x","method":"m","deposit":"1"}}])",
         "step 1 (yield): unknown member \"deposit\""},
        {R"([{"resume":{"id":"x"}}])", "step 1 (resume): wanted one of \"value\", \"text\" and \"base64\""},
        {R"([{"resume":{"id":"x","text":")" + std::string(1025, 'x') + "\"}}]",
         "step 1 (resume): the payload has 1025 bytes, 1024 are the most"},
        {R"([{"batch":{"account":"a.b","actions":[{"transfer":"1"},{"fly":1}]}}])",
         "step 1 (batch) action 2: no such action: \"fly\""},
        {R"([{"batch":{"account":"a.b","actions":[{"deploy":"nft"}]}}])",
         "step 1 (batch) action 1 (deploy): no built-in contract has that name: ft, receiver, yield, script"},
        {R"([{"batch":{"account":"a.b","actions":[{"add_key":{"public_key":")" + kKey +
             R"(","methods":[]}}]}}])",
         "step 1 (batch) action 1 (add_key): \"methods\" and \"allowance\" need a \"receiver\""},
        {R"([{"batch":{"account":"a.b","actions":[{"delete_key":"x"}]}}])",
         "step 1 (batch) action 1 (delete_key): not a public key: \"x\""},
    };
    for (const auto& [program, panic] : cases) EXPECT_EQ(panic_of(program), panic) << program.substr(0, 100);
}

TEST(ScriptErrors, NumberTheStepsOfABranch) {
    EXPECT_EQ(
        panic_of(
            R"([{"log":"x"},{"if_promise_failed":{"else":[{"log":"y"},{"if_promise_failed":{"else":["nope"]}}]}}])"),
        "step 2.2.1: no such step: \"nope\"");
}

TEST(ScriptErrors, ShowLongValuesCutAtACharacter) {
    const std::string panic = panic_of(R"([{"use_gas":"x)" + std::string(78, 'y') + "ééé" + "\"}]");
    EXPECT_EQ(panic, "step 1 (use_gas): wanted a number of Tgas, or gas as a decimal string, not \"x" +
                         std::string(78, 'y') + "…");
}

TEST(Script, ReceivesTokensWithAProgramAsMessage) {
    FakeHost host;
    const sim::Json args{{"sender_id", "alice.sandbox"}, {"amount", "5"}, {"msg", R"([{"return":"5"}])"}};
    EXPECT_EQ(call(ScriptContract(), host, "ft_on_transfer", args.dump()).value, "\"5\"");
    EXPECT_EQ(call(ScriptContract(), host, "ft_on_transfer", "{}").panic,
              "Failed to deserialize input from JSON. Error: `missing field `msg``");
    EXPECT_EQ(call(ScriptContract(), host, "walk", "[]").panic, "MethodNotFound");
}

}  // namespace
}  // namespace receiptd::sandbox
