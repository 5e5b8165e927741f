// What `run` makes: accounts, keys, traffic, rhythm; and a client's way through it.
#include "sandbox/run/genesis.hpp"
#include "unit/sandbox_run/fixtures.hpp"

#include <sys/stat.h>

#include <fstream>

namespace receiptd::sandbox {
namespace {

using namespace std::chrono_literals;
using namespace test;

class WholeSandbox : public Run {
protected:
    json view(const json& more) {
        json params{{"finality", "optimistic"}};
        params.update(more);
        return rpc("query", params).at("result");
    }
    std::string dump(const std::string& seed_of_run) {
        options_.ledger.seed = std::stoull(seed_of_run);
        options_.traffic = "mixed";
        options_.tps = 20;
        sandbox_.reset();
        change("/advance", {{"blocks", 12}});
        std::string all = get("/truth").dump();
        for (Height height = sandbox().ledger().first(); height <= sandbox().ledger().tip(); ++height)
            all += *sandbox().ledger().whole_block(height);
        return all;
    }
};

TEST_F(WholeSandbox, HasReadyMadeAccountsAndContracts) {
    for (const auto* id : {"alice.sandbox", "bob.sandbox", "carol.sandbox", "relayer.sandbox"})
        EXPECT_EQ(view({{"request_type", "view_account"}, {"account_id", id}})["amount"],
                  "10000000000000000000000000000")
            << id;
    for (const auto* id : {"ft.sandbox", "receiver.sandbox", "yield.sandbox", "script.sandbox"})
        EXPECT_TRUE(view({{"request_type", "view_code"}, {"account_id", id}}).contains("code_base64")) << id;
    const json registered = view(
        {{"request_type", "call_function"},
         {"account_id", "ft.sandbox"},
         {"method_name", "storage_balance_of"},
         {"args_base64", chain::base64_encode(chain::bytes_of(R"({"account_id":"receiver.sandbox"})"))}});
    EXPECT_GT(registered["result"].size(), 4u) << "receiver.sandbox can take tokens";
}

TEST_F(WholeSandbox, CarriesATransactionToItsEnd) {
    const auto signed_transfer = transfer_base64(1);
    const json params{{"signed_tx_base64", signed_transfer}, {"wait_until", "FINAL"}};
    options_.longest_wait = 10s;
    sandbox_.reset();
    auto sent = boost::asio::co_spawn(
        context_, sandbox().hosts().regular().handle(post(call("send_tx", params))), boost::asio::use_future);
    context_.restart();
    context_.poll();
    for (int i = 0; i < 8; ++i) {
        sandbox().make_block();
        context_.poll();
    }
    ASSERT_EQ(sent.wait_for(0s), std::future_status::ready);
    const json done = json_of(sent.get());
    EXPECT_EQ(done["result"]["final_execution_status"], "FINAL") << done;
    EXPECT_EQ(rpc("send_tx", params)["result"], done["result"])
        << "sent again, it is answered with its status";
    const json again = rpc("send_tx", json::array({transfer_base64(1)}));
    EXPECT_EQ(again["error"]["data"]["TxExecutionError"]["InvalidTxError"]["InvalidNonce"]["tx_nonce"], 1)
        << again;
}

TEST_F(WholeSandbox, EndsAWaitThatCanComeToNothing) {
    options_.longest_wait = 10s;
    const json params{{"signed_tx_base64", transfer_base64(1)}, {"wait_until", "FINAL"}};
    const auto hash =
        rpc("broadcast_tx_async", json::array({params["signed_tx_base64"]})).at("result").get<std::string>();
    change("/transactions/" + hash + "/drop", {{"how", "superseded"}});
    auto sent = boost::asio::co_spawn(
        context_, sandbox().hosts().regular().handle(post(call("send_tx", params))), boost::asio::use_future);
    context_.restart();
    context_.poll();
    for (int i = 0; i < 4; ++i) {
        sandbox().make_block();
        context_.poll();
    }
    ASSERT_EQ(sent.wait_for(0s), std::future_status::ready);
    EXPECT_EQ(json_of(sent.get())["error"]["cause"]["name"], "INVALID_TRANSACTION");
}

TEST_F(WholeSandbox, IsTheSameForTheSameSeed) {
    const auto one = dump("5");
    EXPECT_EQ(one, dump("5"));
    EXPECT_NE(one, dump("6"));
}

TEST_F(WholeSandbox, HasAsMuchTrafficAsItIsTold) {
    options_.traffic = "transfers";
    options_.tps = 10;
    change("/advance", {{"blocks", 10}});
    EXPECT_EQ(get("/status")["traffic"]["submitted"], 60) << "10 blocks are 6 seconds";
    EXPECT_EQ(get("/check")["ok"], true);
}

TEST_F(WholeSandbox, RefusesATrafficThatThereIsNot) {
    options_.traffic = "rush-hour";
    try {
        sandbox();
        FAIL();
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(),
                     "--traffic must be one of mixed, transfers, tokens, failures, storm, not \"rush-hour\"");
    }
}

TEST_F(WholeSandbox, RefusesMoreShardsThanThereCanBe) {
    options_.ledger.shards = 33;
    EXPECT_THROW(sandbox(), std::invalid_argument);
}

TEST(ReadyAccounts, FollowFromTheSeed) {
    EXPECT_EQ(keys_json(ready_accounts(1)), keys_json(ready_accounts(1)));
    EXPECT_NE(keys_json(ready_accounts(1))[0]["secret_key"], keys_json(ready_accounts(2))[0]["secret_key"]);
    EXPECT_NE(keys_json(ready_accounts(1))[0]["secret_key"], keys_json(ready_accounts(1))[1]["secret_key"]);
}

TEST(ReadyAccounts, AreWrittenForTheOwnersEyesOnly) {
    const auto file =
        std::filesystem::path(testing::TempDir()) / ("keys-" + std::to_string(::getpid()) + ".json");
    std::ofstream(file) << "left over, and readable by all";
    write_keys(file, ready_accounts(1));
    struct stat info {};
    ASSERT_EQ(::stat(file.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    std::ifstream in(file);
    EXPECT_EQ(json::parse(in), keys_json(ready_accounts(1)));
    std::filesystem::remove(file);
    EXPECT_THROW(write_keys("/nowhere/keys.json", ready_accounts(1)), std::system_error);
}

TEST(BlockSchedule, KeepsToTheBeatWhenABlockIsLate) {
    const base::SteadyTime start{100s};
    BlockSchedule schedule(600ms);
    EXPECT_FALSE(schedule.wait(start)) << "not started";
    schedule.start(start);
    EXPECT_EQ(schedule.wait(start), base::Duration(600ms));
    EXPECT_EQ(schedule.wait(start + 900ms), base::Duration(0));
    schedule.made(start + 900ms);
    EXPECT_EQ(schedule.wait(start + 900ms), base::Duration(300ms)) << "the next one is not late";
}

TEST(BlockSchedule, LetsGoWhatIsFarTooLate) {
    const base::SteadyTime start{100s};
    BlockSchedule schedule(600ms);
    schedule.start(start);
    schedule.made(start + 3600s);
    EXPECT_EQ(schedule.wait(start + 3600s), base::Duration(0));
    schedule.made(start + 3600s);
    EXPECT_EQ(schedule.wait(start + 3600s), base::Duration(600ms));
}

TEST(BlockSchedule, StandsStillWhenItIsStopped) {
    BlockSchedule schedule(600ms);
    schedule.start(base::SteadyTime{100s});
    schedule.stop();
    EXPECT_FALSE(schedule.wait(base::SteadyTime{200s}));
    EXPECT_FALSE(BlockSchedule(0ms).has_rhythm());
}

TEST(GenesisTime, IsReadInThreeForms) {
    EXPECT_EQ(parse_genesis_time("2026-01-01T00:00:00Z", 7), 1'767'225'600'000'000'000u);
    EXPECT_EQ(parse_genesis_time("1767225600000000001", 7), 1'767'225'600'000'000'001u);
    EXPECT_EQ(parse_genesis_time("now", 7), 7u);
    EXPECT_EQ(parse_upgrade("2:87").first, 2u);
    EXPECT_EQ(parse_upgrade("2:87").second->version, 87u);
    for (const char* text : {"", "2", "2:", ":87", "2:85", "x:87", "2:87x"})
        EXPECT_THROW(parse_upgrade(text), std::invalid_argument) << text;
    EXPECT_EQ(parse_split("2:bob.sandbox"), (std::pair<std::uint64_t, std::string>{2, "bob.sandbox"}));
    for (const char* text : {"", "2", ":bob.sandbox", "x:bob.sandbox"})
        EXPECT_THROW(parse_split(text), std::invalid_argument) << text;
    for (const auto* text :
         {"", "yesterday", "2026-01-01", "2026-01-01T00:00:00", "18446744073709551615", "-1"})
        EXPECT_THROW(parse_genesis_time(text, 7), std::invalid_argument) << text;
}

}  // namespace
}  // namespace receiptd::sandbox
