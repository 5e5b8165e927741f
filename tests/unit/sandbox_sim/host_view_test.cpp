#include "world.hpp"

namespace receiptd::sandbox::sim {
namespace {

const std::string kViewed = "contract.test";

struct Viewed : ::testing::Test {
    Viewed() {
        world.add_contract(
            kViewed,
            {{"count", [](Host& host) { host.return_value(bytes(host.storage_read("n").value_or("none"))); }},
             {"set", [](Host& host) { host.storage_write("n", text(host.input())); }},
             {"say",
              [](Host& host) {
                  host.log("hello");
                  host.panic("quoted \"text\"\nand more");
              }},
             {"spin", [](Host& host) { host.use_gas(301 * kTera); }},
             {"almost", [](Host& host) { host.use_gas(299 * kTera); }},
             {"promise", [](Host& host) { host.promise_batch_create(kBob); }},
             {"who", [](Host& host) { host.return_value(bytes(host.predecessor_id())); }},
             {"where", [](Host& host) {
                  host.return_value(bytes(host.current_account_id() + " " +
                                          std::to_string(host.block_height()) +
                                          (host.is_view() ? " view" : "")));
              }}});
    }
    ViewResult view(const std::string& method, const std::string& account = kViewed, Height at = kNewest,
                    std::string_view args = "") {
        return call_view(world.state_of(account), at, world.block(), {account, method, bytes(args)},
                         world.contracts());
    }
    std::string error(const std::string& method, const std::string& account = kViewed) {
        return view(method, account).error;
    }
    World world;
};

TEST_F(Viewed, ReadsTheStateOfItsHeight) {
    for (const char* value : {"1", "2"}) {
        world.send(kAlice, kViewed, {call_action("set", 30 * kTera, 0, value)});
        world.run(2);
    }
    EXPECT_EQ(text(view("count", kViewed, 101).value), "none");
    EXPECT_EQ(text(view("count", kViewed, 102).value), "1");
    EXPECT_EQ(text(view("count", kViewed, 103).value), "1");
    EXPECT_EQ(text(view("count").value), "2");
}

TEST_F(Viewed, KnowsAccountAndBlock) {
    EXPECT_EQ(text(view("where").value), "contract.test 100 view");
    EXPECT_EQ(view("where").error, "");
}

TEST_F(Viewed, TellsErrorsAsQueryDoes) {
    const std::string prefix = "wasm execution failed with error: ";
    EXPECT_EQ(error("unknown"), prefix + "MethodResolveError(MethodNotFound)");
    EXPECT_EQ(error(""), prefix + "MethodResolveError(MethodEmptyName)");
    EXPECT_EQ(error("x", kBob), prefix + R"(CompilationError(CodeDoesNotExist { account_id: "bob.test" }))");
    EXPECT_EQ(error("x", "nobody.test"), "account nobody.test does not exist while viewing");
    world.set_code(kCarol, "other code");
    EXPECT_EQ(error("x", kCarol), prefix + "CompilationError(PrepareError(Deserialization))");
    EXPECT_EQ(error("say"), prefix + R"(HostError(GuestPanic { panic_msg: "quoted \"text\"\nand more" }))");
    EXPECT_EQ(error("spin"), prefix + "HostError(GasLimitExceeded)");
    EXPECT_EQ(error("almost"), "");
}

TEST_F(Viewed, KeepsTheLogsOfAFailingCall) { EXPECT_EQ(view("say").logs, std::vector<std::string>{"hello"}); }

TEST_F(Viewed, MayNeitherWriteNorMakePromisesNorAskWhoCalls) {
    const std::string prefix = "wasm execution failed with error: HostError(ProhibitedInView { method_name: ";
    EXPECT_EQ(error("set"), prefix + "\"storage_write\" })");
    EXPECT_EQ(error("promise"), prefix + "\"promise_batch_create\" })");
    EXPECT_EQ(error("who"), prefix + "\"predecessor_account_id\" })");
    EXPECT_FALSE(world.state_of(kViewed).data(kViewed, "n").has_value());
}

}  // namespace
}  // namespace receiptd::sandbox::sim
