#include "sandbox/contracts/yield.hpp"

#include "fake_host.hpp"

#include <gtest/gtest.h>

namespace receiptd::sandbox {
namespace {

struct Yielding {
    YieldContract contract;
    FakeHost host;

    Called call(std::string_view method, std::string_view args) {
        return sandbox::call(contract, host, method, args);
    }
    // The callback of the last request, as the chain would call it.
    Called callback(sim::PromiseResult result) {
        host.predecessor = host.current;
        host.results = {std::move(result)};
        auto called = call("on_resume", host.yields.back().args);
        host.predecessor = "alice.sandbox";
        host.results.clear();
        return called;
    }
    bool is_waiting(const std::string& id) {
        return call("is_waiting", R"({"id":")" + id + "\"}").value == "true";
    }
};

TEST(YieldContract, WaitsAndIsAnswered) {
    Yielding chain;
    EXPECT_EQ(chain.call("request", R"({"id":"a","payload":{"n":1}})").panic, "");
    EXPECT_EQ(chain.host.returned_promise, 0U);
    EXPECT_EQ(chain.host.yields.at(0).method_name, "on_resume");
    EXPECT_TRUE(chain.is_waiting("a"));
    EXPECT_EQ(chain.call("respond", R"({"id":"a","value":{"answer":42}})").value, "true");
    EXPECT_EQ(chain.host.resumed.at(0).second, R"({"answer":42})");
    EXPECT_FALSE(chain.is_waiting("a"));
    const auto resumed = chain.callback(contracts::to_bytes(R"({"answer":42})"));
    EXPECT_EQ(resumed.value, R"({"answer":42})");
    EXPECT_EQ(resumed.logs, std::vector<std::string>{R"(payload: {"n":1})"});
}

TEST(YieldContract, SaysTimeoutOrPanicsWhenNobodyAnswers) {
    Yielding chain;
    chain.call("request", R"({"id":"a"})");
    EXPECT_EQ(chain.callback(std::nullopt).value, "\"timeout\"");
    EXPECT_FALSE(chain.is_waiting("a"));
    chain.call("request", R"({"id":"a","panic_on_timeout":true})");
    EXPECT_EQ(chain.callback(std::nullopt).panic, "timeout");
    EXPECT_EQ(chain.call("request", R"({"id":"a"})").panic, "");
}

TEST(YieldContract, ForgetsOnlyTheRequestThatTimedOut) {
    Yielding chain;
    chain.call("request", R"({"id":"a"})");
    const std::string first = chain.host.yields.back().args;
    chain.call("request", R"({"id":"a"})");
    chain.host.yields.back().args = first;
    chain.callback(std::nullopt);
    EXPECT_TRUE(chain.is_waiting("a"));
}

TEST(YieldContract, RefusesWhatNobodyWaitsFor) {
    Yielding chain;
    EXPECT_EQ(chain.call("respond", R"({"id":"a\"","value":1})").panic,
              R"(No request with the id "a\"" waits)");
    chain.call("request", R"({"id":"a"})");
    chain.host.waiting.clear();  // the yield timed out in this very block
    EXPECT_EQ(chain.call("respond", R"({"id":"a","value":1})").value, "false");
    EXPECT_FALSE(chain.is_waiting("a"));
}

TEST(YieldContract, RefusesAValueTooLongForAResume) {
    Yielding chain;
    chain.call("request", R"({"id":"a"})");
    EXPECT_EQ(chain.call("respond", R"({"id":"a","value":")" + std::string(1022, 'x') + "\"}").panic, "");
    chain.call("request", R"({"id":"a"})");
    EXPECT_EQ(chain.call("respond", R"({"id":"a","value":")" + std::string(1023, 'x') + "\"}").panic,
              "The value is 1025 bytes of JSON, 1024 are the most");
    EXPECT_TRUE(chain.is_waiting("a"));
}

TEST(YieldContract, HasAPrivateCallback) {
    Yielding chain;
    EXPECT_EQ(chain.call("on_resume", R"({"id":"a","number":"1"})").panic, "Method on_resume is private");
    EXPECT_EQ(chain.call("other", "{}").panic, "MethodNotFound");
}

}  // namespace
}  // namespace receiptd::sandbox
