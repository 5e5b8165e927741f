// The wallet of ETH-implicit accounts: against a real one's answers, and on the chain.
#include "sandbox/contracts/eth_signing.hpp"

#include "chain/wire/base64.hpp"
#include "fake_host.hpp"
#include "sandbox/sim/limits.hpp"
#include "small_chain.hpp"
#include "support/recordings.hpp"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>

namespace receiptd::sandbox {
namespace {

using contracts::Json;
using testing::SizeIs;

EthOwner an_owner() {
    return EthOwner(*sim::SecretKey::from_seed(chain::KeyType::secp256k1,
                                               chain::sha256(chain::bytes_of("an Ethereum wallet")).view()));
}

struct Wallet : testing::Test {
    WalletContract contract;
    FakeHost host;
    EthOwner owner = an_owner();

    Wallet() {
        host.current = owner.account_id();
        host.predecessor = "relayer.sandbox";
    }
    Called execute(const EthWish& wish) { return call(contract, host, "rlp_execute", owner.args(wish)); }
    std::string error_of(const EthWish& wish) { return Json::parse(execute(wish).value).at("error"); }
    Called answer(sim::PromiseResult result, const std::string& args = R"({"caller_deposit":null})") {
        host.results = {std::move(result)};
        host.predecessor = host.current;
        Called called = call(contract, host, "rlp_execute_callback", args);
        host.predecessor = "relayer.sandbox";
        return called;
    }
    EthWish wish(std::uint64_t nonce = 0) const {
        return {"app.sandbox", eth_function_call("app.sandbox", "run", "args", 5 * sim::kTera), nonce};
    }
    std::string nonce() { return call(contract, host, "get_nonce", "{}").value; }
};

Json action_json(const sim::wire::Action& action) {
    if (const auto* transfer = std::get_if<sim::wire::Transfer>(&action.value))
        return {{"Transfer", {{"deposit", base::to_string(transfer->deposit)}}}};
    const auto& call = std::get<sim::wire::FunctionCall>(action.value);
    return {{"FunctionCall",
             {{"method_name", call.method_name},
              {"args", chain::base64_encode(call.args)},
              {"gas", call.gas},
              {"deposit", base::to_string(call.deposit)}}}};
}

std::string decoded(const Json& base64) {
    return text(chain::base64_decode(base64.get_ref<const std::string&>()).value());
}

// The receipts and the value of one call of rlp_execute by a relayer.
void expect_as_recorded(const WalletContract& contract, FakeHost& host, const Json& recorded) {
    host.current = recorded.at("wallet");
    host.predecessor = "relayer.run2.node0";
    Called called = call(contract, host, "rlp_execute", decoded(recorded.at("args")));
    ASSERT_EQ(host.promises.size(), recorded.at("made").size());
    for (std::size_t i = 0; i < host.promises.size(); ++i) {
        const Json& made = recorded.at("made").at(i);
        Json action = action_json(host.promises[i].actions.at(0));
        // The callback gets what gas is left.
        if (i == 1) action["FunctionCall"]["gas"] = made.at("actions").at(0).at("FunctionCall").at("gas");
        EXPECT_EQ(host.promises[i].account_id, made.at("receiver_id"));
        EXPECT_EQ(action, made.at("actions").at(0));
    }
    const std::string value = decoded(recorded.at("status").at("SuccessValue"));
    if (host.returned_promise) {
        const Json told = Json::parse(value);
        sim::PromiseResult result;
        if (told.at("success") == true) result = told.at("success_value").get<sim::Bytes>();
        host.results = {std::move(result)};
        host.predecessor = host.current;
        called = call(contract, host, "rlp_execute_callback", R"({"caller_deposit":null})");
    }
    EXPECT_EQ(called.panic, "");
    EXPECT_EQ(called.value, value);
}

TEST(RecordedWallet, DidAndAnsweredTheSame) {
    const Json recorded = Json::parse(test::read_file(test::kRecorded / "nearcore-84" / "wallet_calls.json"));
    WalletContract contract;
    FakeHost host;
    ASSERT_EQ(recorded.size(), 4U);
    for (const Json& each : recorded) {
        SCOPED_TRACE(each.at("name").get<std::string>());
        expect_as_recorded(contract, host, each);
    }
}

TEST_F(Wallet, ARelayersFaultLeavesTheNonceUnused) {
    EthWish other = wish();
    other.chain_id = 1;
    EXPECT_EQ(error_of(other), "Error: invalid chain id");
    other = wish();
    other.target = "thief.sandbox";
    EXPECT_EQ(
        Json::parse(call(contract, host, "rlp_execute",
                         Json{{"target", "app.sandbox"},
                              {"tx_bytes_b64", chain::base64_encode(chain::bytes_of(owner.sign(other)))}}
                             .dump())
                        .value)
            .at("error"),
        "Error: target does not match to in signed transaction");
    EXPECT_EQ(error_of(wish(1)), "Error: invalid nonce value");
    EXPECT_EQ(Json::parse(call(contract, host, "rlp_execute", R"({"target":"a.b","tx_bytes_b64":"?"})").value)
                  .at("error"),
              "Error: invalid base64 encoding");
    EXPECT_EQ(
        Json::parse(call(contract, host, "rlp_execute", R"({"target":"a.b","tx_bytes_b64":"Ag=="})").value)
            .at("error"),
        "Error parsing RLP-encoded transaction");
    host.current = "0x" + std::string(40, 'b');
    EXPECT_EQ(error_of(wish()), "Error: signature does not match the wallet's address");
    EXPECT_EQ(nonce(), "\"0\"");
    EXPECT_THAT(host.promises, SizeIs(0));
}

TEST_F(Wallet, ATransactionThatCannotBeDoneUsesItsNonce) {
    EthWish odd = wish();
    odd.data = "none";
    EXPECT_EQ(error_of(odd), "Error: unknown function selector");
    odd = wish(1);
    odd.data.resize(odd.data.size() - 64);
    EXPECT_EQ(error_of(odd), "Error: malformed arguments");
    odd = wish(2);
    odd.value = EthBytes(17, 'x');
    EXPECT_EQ(error_of(odd), "Error: value above the largest balance");
    odd = wish(3);
    odd.data = eth_transfer("thief.sandbox", 1);
    EXPECT_EQ(error_of(odd), "Error: target is not the receiver");
    EXPECT_EQ(nonce(), "\"4\"");
}

TEST_F(Wallet, DoesOneThingAfterTheOther) {
    EXPECT_EQ(execute(wish()).panic, "");
    EXPECT_EQ(error_of(wish(1)), "Error: transaction already in progress, please try again later.");
    answer(sim::Bytes{'o', 'k'});
    EXPECT_EQ(execute(wish(1)).value, "");
    EXPECT_THAT(host.promises, SizeIs(2));
}

TEST_F(Wallet, GivesBackWhatTheRelayerAttachedUnlessTheUsersWishIsDone) {
    host.deposit = 7;
    error_of(wish(9));
    ASSERT_THAT(host.promises, SizeIs(1));
    EXPECT_EQ(host.promises[0].account_id, "relayer.sandbox");
    EXPECT_EQ(std::get<sim::wire::Transfer>(host.promises[0].actions.at(0).value).deposit, 7U);
    execute(wish());
    const std::string args = text(function_call(host.promises.at(1)).args);
    EXPECT_EQ(args, R"({"caller_deposit":{"account_id":"relayer.sandbox","yocto_near":"7"}})");
    host.deposit = 0;
    EXPECT_EQ(answer(std::nullopt, args).value,
              R"({"success":false,"success_value":null,"error":"Failed Near promise"})");
    ASSERT_THAT(host.promises, SizeIs(1));
    EXPECT_EQ(host.promises[0].account_id, "relayer.sandbox");
}

TEST_F(Wallet, OnlyItselfMayAnswer) {
    EXPECT_EQ(call(contract, host, "rlp_execute_callback", "{}").panic,
              "Method rlp_execute_callback is private");
}

struct WalletOnChain : testing::Test {
    SmallChain chain;
    EthOwner owner = an_owner();

    WalletOnChain() {
        chain.send("alice.sandbox", owner.account_id(), {{sim::wire::Transfer{10 * kNear}}});
        for (int i = 0; i < 4; ++i) chain.step();
    }
    SmallChain::Tree execute(const EthWish& wish) {
        return chain.call(owner.account_id(), "rlp_execute", owner.args(wish));
    }
};

TEST_F(WalletOnChain, DoesWhatItsOwnerSigned) {
    const auto paid = execute({"bob.sandbox", eth_transfer("bob.sandbox", 7), 0,
                               number_bytes(sim::u128{10'000'000} * 10'000'000'000U)});
    EXPECT_EQ(paid.value(), R"({"success":true,"success_value":[],"error":null})");
    EXPECT_EQ(paid.receipts.size(), 3U);
    const auto called =
        execute({"script.sandbox",
                 eth_function_call("script.sandbox", "run", R"([{"return":"x"}])", 30 * sim::kTera), 1});
    EXPECT_EQ(called.value(), R"({"success":true,"success_value":[34,120,34],"error":null})");
    EXPECT_EQ(called.failures, std::vector<std::string>{});
}

TEST_F(WalletOnChain, SaysThatTheUsersCallFailedThoughItsOwnDidNot) {
    const auto tree =
        execute({"script.sandbox",
                 eth_function_call("script.sandbox", "run", R"([{"panic":"inner"}])", 30 * sim::kTera)});
    EXPECT_EQ(tree.value(), R"({"success":false,"success_value":null,"error":"Failed Near promise"})");
    EXPECT_EQ(tree.failures, std::vector<std::string>{"run: Smart contract panicked: inner"});
}

TEST(EthTransaction, BytesThatAreCutAnywhereAreRefused) {
    const EthBytes whole = an_owner().sign({"app.sandbox", eth_transfer("app.sandbox", 1)});
    ASSERT_TRUE(read_eth_transaction(chain::bytes_of(whole)));
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_FALSE(read_eth_transaction(chain::bytes_of(whole.substr(0, size)))) << size;
}

}  // namespace
}  // namespace receiptd::sandbox
