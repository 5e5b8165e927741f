#include "sandbox/contracts/receiver.hpp"

#include "fake_host.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

namespace receiptd::sandbox {
namespace {

Called receive(FakeHost& host, const std::string& msg) {
    const sim::Json args{{"sender_id", "alice.sandbox"}, {"amount", "100"}, {"msg", msg}};
    return call(ReceiverContract(), host, "ft_on_transfer", args.dump());
}

TEST(Receiver, KeepsEverythingUnlessItIsToldOtherwise) {
    FakeHost host;
    for (const char* msg : {"keep", "", "anything", "burn_gas please", "Return"})
        EXPECT_EQ(receive(host, msg).value, "\"0\"");
}

TEST(Receiver, ReturnsAllOrSome) {
    FakeHost host;
    EXPECT_EQ(receive(host, "return").value, "\"100\"");
    EXPECT_EQ(receive(host, "return:7").value, "\"7\"");
    EXPECT_EQ(receive(host, "return:200").value, "\"200\"");
    EXPECT_EQ(receive(host, "return:x").panic,
              "msg must be return:AMOUNT with a decimal number, not return:x");
    EXPECT_EQ(receive(host, "return:").panic, "msg must be return:AMOUNT with a decimal number, not return:");
}

TEST(Receiver, PanicsBurnsItsGasOrReturnsGarbage) {
    FakeHost host;
    EXPECT_EQ(receive(host, "panic").panic, "the receiver was told to fail");
    EXPECT_EQ(receive(host, "panic:at: noon").panic, "at: noon");
    EXPECT_EQ(receive(host, "burn_gas").panic, "Exceeded the prepaid gas.");
    EXPECT_EQ(receive(host, "garbage").value, "no number");
}

TEST(Receiver, CallsOnAndReturnsThatPromise) {
    FakeHost host;
    EXPECT_EQ(receive(host, R"(call:script.sandbox:run:{"steps":[{"log":"a:b"}]})").panic, "");
    ASSERT_EQ(host.promises.size(), 1U);
    EXPECT_EQ(host.promises[0].account_id, "script.sandbox");
    EXPECT_EQ(function_call(host.promises[0]).method_name, "run");
    EXPECT_EQ(text(function_call(host.promises[0]).args), R"({"steps":[{"log":"a:b"}]})");
    EXPECT_EQ(host.promises[0].weights.at(0), 1U);
    EXPECT_EQ(host.returned_promise, 0U);
    receive(host, "call:bob.sandbox:hello");
    EXPECT_EQ(text(function_call(host.promises[0]).args), "{}");
}

TEST(Receiver, TellsACallThatIsNone) {
    FakeHost host;
    for (const std::string msg :
         {"call:", "call:bob.sandbox", "call:Not An Id:method", "call:bob.sandbox::{}"}) {
        EXPECT_EQ(receive(host, msg).panic,
                  "msg must be call:ACCOUNT:METHOD or call:ACCOUNT:METHOD:ARGS, not " + msg);
    }
}

TEST(Receiver, WantsTheArgumentsOfTheStandard) {
    FakeHost host;
    EXPECT_EQ(call(ReceiverContract(), host, "ft_on_transfer", R"({"sender_id":"a.b","amount":"1"})").panic,
              "Failed to deserialize input from JSON. Error: `missing field `msg``");
    EXPECT_EQ(call(ReceiverContract(), host, "other", "{}").panic, "MethodNotFound");
}

}  // namespace
}  // namespace receiptd::sandbox
