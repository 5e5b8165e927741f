#include "sandbox/contracts/ft.hpp"

#include "fake_host.hpp"

#include <gtest/gtest.h>

namespace receiptd::sandbox {
namespace {

using sim::kTera;

// alice has 1000, bob is registered, carol is not.
struct Token {
    FtContract contract;
    FakeHost host;

    Token() {
        for (const auto& [key, value] : ft_initial_records({{"alice.sandbox", 1000}, {"bob.sandbox", 0}})) {
            host.storage[key] = value;
        }
    }

    Called call(std::string_view method, std::string_view args, sim::u128 deposit = 0) {
        host.deposit = deposit;
        return sandbox::call(contract, host, method, args);
    }
    std::string balance(const std::string& account_id) {
        return call("ft_balance_of", R"({"account_id":")" + account_id + "\"}").value;
    }
    std::string supply() { return call("ft_total_supply", "").value; }

    // The callback of alice's transfer of 100 to bob that was made before.
    Called resolve(sim::PromiseResult result, std::string_view more = "") {
        host.predecessor = host.current;
        host.results = {std::move(result)};
        auto called = call("ft_resolve_transfer",
                           R"({"sender_id":"alice.sandbox","receiver_id":"bob.sandbox","amount":"100")" +
                               std::string(more) + "}");
        host.predecessor = "alice.sandbox";
        host.results.clear();
        return called;
    }
    Called send_to_bob() {
        return call("ft_transfer_call", R"({"receiver_id":"bob.sandbox","amount":"100","msg":""})", 1);
    }
};

std::string event(const std::string& rest) {
    return R"(EVENT_JSON:{"standard":"nep141","version":"1.0.0",)" + rest;
}

TEST(FtTransfer, MovesTokensAndLogsTheEvent) {
    Token token;
    const auto done =
        token.call("ft_transfer", R"({"receiver_id":"bob.sandbox","amount":"250","memo":"rent"})", 1);
    EXPECT_EQ(done.panic, "");
    EXPECT_EQ(
        done.logs,
        std::vector{event(
            R"("event":"ft_transfer","data":[{"old_owner_id":"alice.sandbox","new_owner_id":"bob.sandbox","amount":"250","memo":"rent"}]})")});
    EXPECT_EQ(token.balance("alice.sandbox"), "\"750\"");
    EXPECT_EQ(token.balance("bob.sandbox"), "\"250\"");
    EXPECT_EQ(token.supply(), "\"1000\"");
}

TEST(FtTransfer, LeavesOutAMemoThatIsNullOrMissing) {
    Token token;
    const auto done =
        token.call("ft_transfer", R"({"receiver_id":"bob.sandbox","amount":"1","memo":null})", 1);
    EXPECT_EQ(
        done.logs.at(0),
        event(
            R"("event":"ft_transfer","data":[{"old_owner_id":"alice.sandbox","new_owner_id":"bob.sandbox","amount":"1"}]})"));
}

struct Refused {
    std::string args;
    sim::u128 deposit;
    std::string panic;
};

TEST(FtTransfer, PanicsAsNearContractStandardsDoes) {
    const std::vector<Refused> cases{
        {R"({"receiver_id":"bob.sandbox","amount":"1"})", 0,
         "Requires attached deposit of exactly 1 yoctoNEAR"},
        {R"({"receiver_id":"bob.sandbox","amount":"1"})", 2,
         "Requires attached deposit of exactly 1 yoctoNEAR"},
        {R"({"receiver_id":"carol.sandbox","amount":"1"})", 1, "The account carol.sandbox is not registered"},
        {R"({"receiver_id":"alice.sandbox","amount":"1"})", 1, "Sender and receiver should be different"},
        {R"({"receiver_id":"bob.sandbox","amount":"0"})", 1, "The amount should be a positive number"},
        {R"({"receiver_id":"bob.sandbox","amount":"1001"})", 1, "The account doesn't have enough balance"},
    };
    for (const Refused& refused : cases) {
        Token token;
        EXPECT_EQ(token.call("ft_transfer", refused.args, refused.deposit).panic, refused.panic)
            << refused.args;
        EXPECT_EQ(token.balance("alice.sandbox"), "\"1000\"");
    }
}

TEST(FtTransfer, TellsBadArgumentsAsNearSdkDoes) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "EOF while parsing a value"},
        {"nonsense", "expected value"},
        {"5", "invalid type: integer `5`, expected struct Input"},
        {"{}", "missing field `receiver_id`"},
        {R"({"receiver_id":"bob.sandbox"})", "missing field `amount`"},
        {R"({"receiver_id":"bob.sandbox","amount":5})", "invalid type: integer `5`, expected a string"},
        {R"({"receiver_id":"bob.sandbox","amount":"-5"})", "invalid digit found in string"},
        {R"({"receiver_id":"bob.sandbox","amount":""})", "cannot parse integer from empty string"},
        {R"({"receiver_id":"bob.sandbox","amount":"340282366920938463463374607431768211456"})",
         "number too large to fit in target type"},
        {R"({"receiver_id":"0xA1","amount":"1"})",
         "invalid value: \"0xA1\", the Account ID contains an invalid character 'A' at index 2"},
        {R"({"receiver_id":"a..b","amount":"1"})",
         "invalid value: \"a..b\", the Account ID has a redundant separator '.' at index 2"},
        {R"({"receiver_id":"b","amount":"1"})", "invalid value: \"b\", the Account ID is too short"},
        {std::string(200'000, '['), "recursion limit exceeded"},
    };
    for (const auto& [args, error] : cases) {
        Token token;
        EXPECT_EQ(token.call("ft_transfer", args, 1).panic,
                  "Failed to deserialize input from JSON. Error: `" + error + "`");
    }
}

TEST(FtTransferCall, CallsTheReceiverWithAllGasAndThenItself) {
    Token token;
    const auto done = token.call("ft_transfer_call",
                                 R"({"receiver_id":"bob.sandbox","amount":"100","msg":"keep \"it\""})", 1);
    EXPECT_EQ(done.panic, "");
    ASSERT_EQ(token.host.promises.size(), 2U);
    const auto& received = token.host.promises[0];
    EXPECT_EQ(received.account_id, "bob.sandbox");
    EXPECT_EQ(function_call(received).method_name, "ft_on_transfer");
    EXPECT_EQ(text(function_call(received).args),
              R"({"sender_id":"alice.sandbox","amount":"100","msg":"keep \"it\""})");
    EXPECT_EQ(function_call(received).gas, 0U);
    EXPECT_EQ(received.weights.at(0), 1U);
    const auto& resolved = token.host.promises[1];
    EXPECT_EQ(resolved.account_id, "contract.sandbox");
    EXPECT_EQ(resolved.after, std::vector<sim::PromiseIndex>{0});
    EXPECT_EQ(text(function_call(resolved).args),
              R"({"sender_id":"alice.sandbox","receiver_id":"bob.sandbox","amount":"100"})");
    EXPECT_EQ(function_call(resolved).gas, 5 * kTera);
    EXPECT_EQ(resolved.weights.at(0), 0U);
    EXPECT_EQ(token.host.returned_promise, 1U);
    EXPECT_EQ(token.balance("bob.sandbox"), "\"100\"");
}

TEST(FtTransferCall, WantsMoreThanThirtyTgas) {
    Token token;
    token.host.prepaid = 30 * kTera;
    EXPECT_EQ(token.send_to_bob().panic, "More gas is required");
    token.host.prepaid = 30 * kTera + 1;
    EXPECT_EQ(token.send_to_bob().panic, "");
}

TEST(FtResolveTransfer, KeepsReturnsOrSharesByWhatTheReceiverSaid) {
    const std::vector<std::tuple<sim::PromiseResult, std::string, std::string>> cases{
        {contracts::to_bytes("\"0\""), "\"100\"", "\"900\""},    // all used
        {contracts::to_bytes("\"30\""), "\"70\"", "\"930\""},    // some
        {contracts::to_bytes("\"100\""), "\"0\"", "\"1000\""},   // nothing
        {contracts::to_bytes("\"5000\""), "\"0\"", "\"1000\""},  // at most what was sent
        {contracts::to_bytes("garbage"), "\"0\"", "\"1000\""},
        {contracts::to_bytes("30"), "\"0\"", "\"1000\""},  // no U128 in JSON
        {contracts::to_bytes(""), "\"0\"", "\"1000\""},
        {std::nullopt, "\"0\"", "\"1000\""},
    };
    for (const auto& [result, used, alice] : cases) {
        Token token;
        token.send_to_bob();
        const auto resolved = token.resolve(result);
        EXPECT_EQ(resolved.value, used);
        EXPECT_EQ(token.balance("alice.sandbox"), alice);
        EXPECT_EQ(token.supply(), "\"1000\"");
        EXPECT_EQ(resolved.logs.size(), used == "\"100\"" ? 0U : 1U);
    }
}

TEST(FtResolveTransfer, LogsTheRefund) {
    Token token;
    token.send_to_bob();
    EXPECT_EQ(
        token.resolve(std::nullopt).logs,
        std::vector{event(
            R"("event":"ft_transfer","data":[{"old_owner_id":"bob.sandbox","new_owner_id":"alice.sandbox","amount":"100","memo":"refund"}]})")});
}

TEST(FtResolveTransfer, TakesBackOnlyWhatTheReceiverStillHas) {
    Token token;
    token.send_to_bob();
    token.host.predecessor = "bob.sandbox";
    token.call("storage_deposit", R"({"account_id":"carol.sandbox"})", kFtStorageDeposit);
    token.call("ft_transfer", R"({"receiver_id":"carol.sandbox","amount":"80"})", 1);
    EXPECT_EQ(token.resolve(std::nullopt).value, "\"80\"");
    EXPECT_EQ(token.balance("alice.sandbox"), "\"920\"");
    EXPECT_EQ(token.balance("bob.sandbox"), "\"0\"");
}

TEST(FtResolveTransfer, BurnsWhatComesBackToAnAccountThatIsGone) {
    Token token;
    token.send_to_bob();
    token.call("storage_unregister", R"({"force":true})", 1);
    EXPECT_EQ(token.supply(), "\"100\"");
    const auto resolved = token.resolve(std::nullopt);
    EXPECT_EQ(resolved.value, "\"100\"");
    EXPECT_EQ(
        resolved.logs,
        (std::vector<std::string>{
            "The account of the sender was deleted",
            event(
                R"("event":"ft_burn","data":[{"owner_id":"bob.sandbox","amount":"100","memo":"refund"}]})")}));
    EXPECT_EQ(token.supply(), "\"0\"");
}

TEST(FtResolveTransfer, IsPrivateAndACallback) {
    Token token;
    const std::string args = R"({"sender_id":"alice.sandbox","receiver_id":"bob.sandbox","amount":"100"})";
    EXPECT_EQ(token.call("ft_resolve_transfer", args).panic, "Method ft_resolve_transfer is private");
    token.host.predecessor = token.host.current;
    EXPECT_EQ(token.call("ft_resolve_transfer", args, 1).panic,
              "Method ft_resolve_transfer doesn't accept deposit");
    EXPECT_EQ(token.call("ft_resolve_transfer", args).panic, "Contract expected a result on the callback");
}

TEST(FtResolveTransfer, FailsWhereTheMemoSaysSo) {
    for (const std::string_view memo : {kMemoResolvePanics, kMemoResolvePanicsUnseen}) {
        Token token;
        const auto sent = token.call(
            "ft_transfer_call",
            R"({"receiver_id":"bob.sandbox","amount":"100","msg":"","memo":")" + std::string(memo) + "\"}",
            1);
        EXPECT_EQ(
            text(function_call(token.host.promises.at(1)).args),
            R"({"sender_id":"alice.sandbox","receiver_id":"bob.sandbox","amount":"100","sandbox_panic":true})");
        const bool seen = memo == kMemoResolvePanics;
        EXPECT_EQ(token.host.returned_promise.has_value(), seen);
        EXPECT_EQ(sent.value, seen ? "" : "\"100\"");
        EXPECT_EQ(token.resolve(std::nullopt, R"(,"sandbox_panic":true)").panic, kResolvePanic);
        EXPECT_EQ(token.balance("bob.sandbox"), "\"100\"");
    }
}

TEST(FtResolveTransfer, FailsAsOftenAsItWasArmedForThatSender) {
    Token token;
    const auto told_to_fail = [&] {
        token.send_to_bob();
        return text(function_call(token.host.promises.at(1)).args).find("sandbox_panic") != std::string::npos;
    };
    token.call("ft_arm_resolve_failure", R"({"account_id":"bob.sandbox"})");
    EXPECT_FALSE(told_to_fail());
    token.call("ft_arm_resolve_failure", R"({"account_id":"alice.sandbox","times":"2"})");
    EXPECT_TRUE(told_to_fail());
    EXPECT_TRUE(told_to_fail());
    EXPECT_FALSE(told_to_fail());
    token.call("ft_arm_resolve_failure", R"({"account_id":"alice.sandbox"})");
    token.call("ft_arm_resolve_failure", R"({"account_id":"alice.sandbox","times":"0"})");
    EXPECT_FALSE(told_to_fail());
}

TEST(FtStorage, RegistersForAFixedPriceAndSendsTheRestBack) {
    Token token;
    EXPECT_EQ(token.call("storage_balance_bounds", "").value,
              R"({"min":"1250000000000000000000","max":"1250000000000000000000"})");
    EXPECT_EQ(token.call("storage_balance_of", R"({"account_id":"carol.sandbox"})").value, "null");
    EXPECT_EQ(token.call("storage_deposit", R"({"account_id":"carol.sandbox"})", kFtStorageDeposit - 1).panic,
              "The attached deposit is less than the minimum storage balance");
    const auto paid =
        token.call("storage_deposit", R"({"account_id":"carol.sandbox","registration_only":true})",
                   kFtStorageDeposit + 7);
    EXPECT_EQ(paid.value, R"({"total":"1250000000000000000000","available":"0"})");
    EXPECT_EQ(token.host.promises.at(0).account_id, "alice.sandbox");
    EXPECT_EQ(std::get<sim::wire::Transfer>(token.host.promises.at(0).actions.at(0).value).deposit, 7U);
    EXPECT_EQ(token.call("storage_balance_of", R"({"account_id":"carol.sandbox"})").value,
              R"({"total":"1250000000000000000000","available":"0"})");
}

TEST(FtStorage, SendsAllBackIfTheAccountIsRegistered) {
    Token token;
    const auto again = token.call("storage_deposit", "{}", 42);
    EXPECT_EQ(again.logs,
              std::vector<std::string>{"The account is already registered, refunding the deposit"});
    EXPECT_EQ(std::get<sim::wire::Transfer>(token.host.promises.at(0).actions.at(0).value).deposit, 42U);
    EXPECT_EQ(token.call("storage_deposit", "{}", 0).panic, "");
    EXPECT_TRUE(token.host.promises.empty());
    EXPECT_EQ(token.balance("alice.sandbox"), "\"1000\"");
}

TEST(FtStorage, HasNothingToWithdraw) {
    Token token;
    EXPECT_EQ(token.call("storage_withdraw", "{}", 0).panic,
              "Requires attached deposit of exactly 1 yoctoNEAR");
    EXPECT_EQ(token.call("storage_withdraw", R"({"amount":"1"})", 1).panic,
              "The amount is greater than the available storage balance");
    EXPECT_EQ(token.call("storage_withdraw", R"({"amount":"0"})", 1).value,
              R"({"total":"1250000000000000000000","available":"0"})");
    token.host.predecessor = "carol.sandbox";
    EXPECT_EQ(token.call("storage_withdraw", "{}", 1).panic, "The account carol.sandbox is not registered");
}

TEST(FtStorage, UnregistersWithThePriceAndTheYoctoBack) {
    Token token;
    EXPECT_EQ(token.call("storage_unregister", "{}", 1).panic,
              "Can't unregister the account with the positive balance without force");
    const auto forced = token.call("storage_unregister", R"({"force":true})", 1);
    EXPECT_EQ(forced.value, "true");
    EXPECT_EQ(
        forced.logs,
        std::vector{event(R"("event":"ft_burn","data":[{"owner_id":"alice.sandbox","amount":"1000"}]})")});
    EXPECT_EQ(std::get<sim::wire::Transfer>(token.host.promises.at(0).actions.at(0).value).deposit,
              kFtStorageDeposit + 1);
    EXPECT_EQ(token.supply(), "\"0\"");
    const auto again = token.call("storage_unregister", "{}", 1);
    EXPECT_EQ(again.value, "false");
    EXPECT_EQ(again.logs, std::vector<std::string>{"The account alice.sandbox is not registered"});
}

TEST(FtMint, RegistersAndMintsForAnybody) {
    Token token;
    const auto minted = token.call("ft_mint", R"({"account_id":"carol.sandbox","amount":"5"})");
    EXPECT_EQ(minted.logs,
              std::vector{event(R"("event":"ft_mint","data":[{"owner_id":"carol.sandbox","amount":"5"}]})")});
    EXPECT_EQ(token.balance("carol.sandbox"), "\"5\"");
    EXPECT_EQ(token.supply(), "\"1005\"");
    EXPECT_EQ(
        token
            .call("ft_mint",
                  R"({"account_id":"carol.sandbox","amount":"340282366920938463463374607431768211455"})")
            .panic,
        "Total supply overflow");
    EXPECT_EQ(token.call("ft_mint", R"({"account_id":"carol.sandbox","amount":"5"})", 1).panic,
              "Method ft_mint doesn't accept deposit");
}

TEST(FtMetadata, IsThatOfNep148) {
    Token token;
    EXPECT_EQ(
        token.call("ft_metadata", "").value,
        R"({"spec":"ft-1.0.0","name":"Sandbox Token","symbol":"SBX","icon":null,"reference":null,"reference_hash":null,"decimals":18})");
}

TEST(Ft, WorksWithoutAnyInitialRecord) {
    Token token;
    token.host.storage.clear();
    EXPECT_EQ(token.supply(), "\"0\"");
    EXPECT_EQ(token.balance("alice.sandbox"), "\"0\"");
    EXPECT_EQ(token.call("ft_mint", R"({"account_id":"alice.sandbox","amount":"1"})").panic, "");
}

TEST(Ft, DoesNotKnowOtherMethods) {
    Token token;
    EXPECT_EQ(token.call("ft_burn", "{}").panic, "MethodNotFound");
    EXPECT_EQ(token.call("", "{}").panic, "MethodNotFound");
}

TEST(FtInitialRecords, AddUpToTheSupplyOrAreRefused) {
    EXPECT_EQ(ft_initial_records({{"a.b", 1}, {"c.d", 2}}).back().second,
              std::string("\3") + std::string(15, '\0'));
    EXPECT_THROW(ft_initial_records({{"a.b", ~sim::u128{0}}, {"c.d", 1}}), std::invalid_argument);
}

}  // namespace
}  // namespace receiptd::sandbox
