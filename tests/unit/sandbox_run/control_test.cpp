// The control API, route by route.
#include "unit/sandbox_run/fixtures.hpp"

namespace receiptd::sandbox {
namespace {

using namespace test;

class Control : public Run {};

TEST_F(Control, MakesBlocksByHand) {
    const Height genesis = sandbox().ledger().tip();
    EXPECT_EQ(change("/advance", {{"blocks", 5}})["height"], genesis + 5);
    EXPECT_EQ(change("/advance")["height"], genesis + 6) << "one if nothing is said";
    EXPECT_EQ(control("POST", "/advance").status, 200) << "the body may be empty";
    const json status = get("/status");
    EXPECT_EQ(status["height"], genesis + 7);
    EXPECT_EQ(status["final_height"], genesis + 5);
    EXPECT_EQ(status["paused"], true);
    EXPECT_EQ(status["shards"].size(), 4u);
}

TEST_F(Control, CannotResumeWithoutARhythm) {
    EXPECT_EQ(change("/pause")["paused"], true);
    EXPECT_NE(problem("POST", "/resume", "", 409).find("--block-time-ms is 0"), std::string::npos);
    options_.block_time = std::chrono::milliseconds(600);
    sandbox_.reset();
    EXPECT_EQ(change("/resume")["paused"], false);
    EXPECT_EQ(change("/pause")["paused"], true);
}

TEST_F(Control, GivesTheKeysOfTheReadyMadeAccounts) {
    const json keys = get("/keys");
    ASSERT_EQ(keys.size(), 4u);
    EXPECT_EQ(keys[0]["account"], "alice.sandbox");
    const json found = rpc("query", {{"request_type", "view_access_key"},
                                     {"finality", "optimistic"},
                                     {"account_id", "alice.sandbox"},
                                     {"public_key", keys[0]["public_key"]}});
    EXPECT_EQ(found["result"]["permission"], "FullAccess");
}

TEST_F(Control, TellsTheTruthOfWhatWasSent) {
    const auto hash = send_transfer(1);
    EXPECT_EQ(get("/transactions/" + hash)["stage"], "pending");
    change("/advance", {{"blocks", 6}});
    const json truth = get("/truth");
    ASSERT_EQ(truth.size(), 1u);
    EXPECT_EQ(truth[0]["tx_hash"], hash);
    EXPECT_EQ(truth[0]["stage"], "final");
    const auto tip = std::to_string(sandbox().ledger().tip());
    EXPECT_TRUE(get("/truth", "from=" + tip + "&to=" + tip).empty());
    EXPECT_EQ(get("/check")["ok"], true);
}

TEST_F(Control, LosesATransactionAsItIsTold) {
    const auto hash = send_transfer(1);
    change("/transactions/" + hash + "/drop", {{"how", "forwarding"}});
    change("/advance", {{"blocks", 3}});
    EXPECT_EQ(get("/transactions/" + hash)["stage"], "forwarding_failed");
    const auto kept = send_transfer(2);
    change("/advance", {{"blocks", 3}});
    EXPECT_NE(
        problem("POST", "/transactions/" + kept + "/drop", R"({"how":"balance"})", 409).find("in a block"),
        std::string::npos);
}

TEST_F(Control, DelaysATransaction) {
    const auto hash = send_transfer(1);
    change("/transactions/" + hash + "/delay", {{"blocks", 4}});
    change("/advance", {{"blocks", 3}});
    EXPECT_EQ(get("/transactions/" + hash)["stage"], "pending");
    change("/advance", {{"blocks", 6}});
    EXPECT_EQ(get("/transactions/" + hash)["stage"], "final");
}

TEST_F(Control, IncludesATransactionWhateverIsWrongWithIt) {
    const auto hash = send_transfer(1);
    EXPECT_EQ(change("/transactions/" + hash + "/include")["transaction_hash"], hash);
    EXPECT_NE(problem("POST", "/transactions/" + hash + "/include", R"({"how":"now"})", 400).find("`how`"),
              std::string::npos);
}

TEST_F(Control, SkipsHeightsAndWithholdsChunks) {
    const Height tip = sandbox().ledger().tip();
    change("/skip-height");
    EXPECT_EQ(change("/advance")["height"], tip + 2);
    const auto shard = get("/status")["shards"][0];
    change("/withhold-chunk", {{"shard_id", shard}});
    change("/advance");
    EXPECT_EQ(rpc("block", {{"finality", "optimistic"}})["result"]["header"]["chunk_mask"][0], false);
}

TEST_F(Control, MakesBlocksThatLose) {
    const Height tip = sandbox().ledger().tip();
    EXPECT_EQ(change("/fork"), (json{{"blocks", 1}, {"after", tip}}));
    change("/advance");
    const json lost = rpc("block", {{"finality", "optimistic"}})["result"];
    const json hash = lost["header"]["hash"];
    EXPECT_EQ(lost["header"]["height"], tip + 1);
    EXPECT_EQ(change("/advance")["height"], tip + 2);
    EXPECT_EQ(rpc("block", {{"finality", "optimistic"}})["result"]["header"]["prev_height"], tip);
    EXPECT_EQ(rpc("block", {{"block_id", hash}})["result"], lost);
    EXPECT_EQ(
        rpc("chunk", {{"block_id", hash}, {"shard_id", lost["chunks"][0]["shard_id"]}})["result"]["header"],
        lost["chunks"][0]);
    EXPECT_EQ(rpc("block", {{"block_id", tip + 1}})["error"]["cause"]["name"], "UNKNOWN_BLOCK");
    EXPECT_NE(problem("POST", "/fork", R"({"blocks":3})", 400).find("blocks"), std::string::npos);
}

TEST_F(Control, CongestsAShard) {
    const auto shard = get("/status")["shards"][0];
    change("/shards/" + shard.dump() + "/congest", {{"blocks", 5}, {"level", 0.9}});
    change("/advance", {{"blocks", 3}});
    const json level =
        rpc("EXPERIMENTAL_congestion_level", {{"block_id", sandbox().ledger().tip()}, {"shard_id", shard}});
    EXPECT_GE(level["result"]["congestion_level"].get<double>(), 0.9) << level;
    EXPECT_NE(problem("POST", "/shards/999/congest", "", 404).find("there is no shard 999; there are: "),
              std::string::npos);
}

TEST_F(Control, SetsFaultsHostByHost) {
    const json rules = json::parse(R"([{"fault":"stale","blocks":2,"share":1.0}])");
    EXPECT_EQ(change("/faults", {{"host", "regular"}, {"faults", rules}}),
              (json{{"regular", rules}, {"archival", json::array()}}));
    EXPECT_EQ(change("/faults", {{"faults", rules}})["archival"], rules);
    const json none = change("/faults", {{"faults", json::array()}});
    EXPECT_EQ(none["regular"], json::array());
    EXPECT_EQ(get("/faults"), none);
}

TEST_F(Control, KnowsEachOfSeveralRegularHosts) {
    options_.listen = {"127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"};
    const json rules = json::parse(R"([{"fault":"stale","blocks":2,"share":1.0}])");
    EXPECT_EQ(change("/faults", {{"host", "regular-2"}, {"faults", rules}}),
              (json{{"archival", json::array()},
                    {"regular", json::array()},
                    {"regular-2", rules},
                    {"regular-3", json::array()}}));
    const json hosts = get("/status")["hosts"];
    EXPECT_EQ(hosts.size(), 4u);
    EXPECT_NE(hosts["regular-2"], hosts["regular-3"]);
}

TEST_F(Control, MakesOneHostLie) {
    options_.listen = {"127.0.0.1:0", "127.0.0.1:0"};
    change("/advance", {{"blocks", 10}});
    EXPECT_EQ(get("/lies"),
              (json{{"archival", json::array()}, {"regular", json::array()}, {"regular-2", json::array()}}));
    const json lies = json::array({{{"lie", "fork"}, {"times", 3}}});
    const json told = change("/lies", {{"host", "regular"}, {"lies", lies}})["regular"][0];
    EXPECT_EQ(told["from"], get("/status")["final_height"].get<std::uint64_t>() + 1);
    const auto final_block = [&](const char* host) {
        const auto request = post(call("block", {{"finality", "final"}}));
        return json_of(finish(sandbox().hosts().find(host)->gateway.handle(request)))["result"]["header"];
    };
    EXPECT_EQ(final_block("regular")["prev_hash"], final_block("regular-2")["hash"]);
    EXPECT_EQ(get("/lies")["regular"][0]["times"], 2);
    change("/lies", {{"lies", json::array()}});
    EXPECT_EQ(final_block("regular"), final_block("archival"));
    EXPECT_TRUE(problem("POST", "/lies", R"({"lies":[{"lie":"fire"}]})", 400).starts_with("lies[0]: "));
}

TEST_F(Control, LetsTrafficFlowAndEbb) {
    EXPECT_EQ(problem("POST", "/traffic", "", 409), "there is no traffic: --traffic names a profile");
    options_.traffic = "transfers";
    options_.tps = 10;
    sandbox_.reset();
    const auto submitted_by = [&](int tps) {
        const auto before = get("/status")["traffic"]["submitted"].get<int>();
        EXPECT_EQ(change("/traffic", {{"tps", tps}})["tps"], tps);
        change("/advance", {{"blocks", 10}});
        EXPECT_EQ(get("/status")["traffic"]["tps"], tps);
        return get("/status")["traffic"]["submitted"].get<int>() - before;
    };
    const auto of_ten_a_second = submitted_by(10);
    EXPECT_GT(of_ten_a_second, 0);
    EXPECT_EQ(submitted_by(0), 0);
    EXPECT_EQ(submitted_by(20), 2 * of_ten_a_second);
    EXPECT_EQ(problem("POST", "/traffic", R"({"tps":-1})", 400),
              "tps must be a whole number from 0 to 100000, not -1");
}

TEST_F(Control, SaysWhatIsWrong) {
    const auto detail = [&](const char* path, const char* body) { return problem("POST", path, body, 400); };
    EXPECT_EQ(detail("/advance", "{"), "the body is not JSON");
    EXPECT_EQ(detail("/advance", "[1]"), "the body must be a JSON object");
    EXPECT_EQ(detail("/advance", R"({"blocks":0})"), "blocks must be a whole number from 1 to 100000, not 0");
    EXPECT_EQ(detail("/advance", R"({"blocks":"5"})"),
              "blocks must be a whole number from 1 to 100000, not \"5\"");
    EXPECT_EQ(detail("/advance", R"({"block":5})"), "unknown member `block`; there are: blocks");
    EXPECT_EQ(detail("/transactions/x/drop", R"({"how":"expired"})"),
              "\"x\" is not the hash of a transaction (base58 of 32 bytes)");
    EXPECT_EQ(detail("/transactions/x/drop", R"({"how":"fire"})"),
              R"(how must be "expired", "superseded", "balance" or "forwarding", not "fire")");
    EXPECT_EQ(detail("/transactions/x/drop", ""), "how is needed, as a string");
    EXPECT_EQ(detail("/withhold-chunk", ""), "shard_id is needed, as a whole number");
    EXPECT_EQ(detail("/faults", "{}"), "faults must be an array of objects");
    EXPECT_TRUE(
        detail("/faults", R"({"faults":[{"fault":"fire"}]})").starts_with("faults[0]: fault must be one of"));
    EXPECT_EQ(detail("/faults", R"({"host":"third","faults":[]})"),
              R"(there is no host "third"; there are: regular, archival; without `host` all are meant)");
    EXPECT_EQ(control("GET", "/truth", "", "from=x").status, 400);
    EXPECT_EQ(control("GET", "/truth", "", "from=9&to=8").status, 400);
    EXPECT_EQ(control("POST", "/advance", "{\"\xff\":1}").status, 400) << "not UTF-8";
}

TEST_F(Control, KnowsItsPathsAndMethods) {
    EXPECT_NE(problem("GET", "/", "", 404).find("POST /advance"), std::string::npos);
    problem("GET", "/nothing", "", 404);
    problem("POST", "/transactions/x/y/z", "", 404);
    problem("GET", "/transactions/x", "", 404);
    EXPECT_EQ(problem("GET", "/advance", "", 405), "this takes POST, not GET");
    EXPECT_EQ(header_of(control("DELETE", "/faults"), "Allow"), "GET, POST");
}

}  // namespace
}  // namespace receiptd::sandbox
