// Lies about blocks and about the network, as a client meets them.
#include "sandbox/gateway/lies.hpp"
#include "unit/sandbox_gateway/live_host.hpp"

namespace receiptd::sandbox {
namespace {

using namespace test;

class LyingHost : public LiveHost {
protected:
    void tell(const char* lies) { host().set_lies(*read_lies(json::parse(lies))); }
    json block(const json& params) { return result("block", params); }
    json final_header() { return block({{"finality", "final"}}).at("header"); }
    std::vector<Lie> lies() { return host().lies(); }
};

std::string problem_of(const char* lies) { return read_lies(json::parse(lies)).error(); }

TEST(LiesAsJson, AreRefusedWithWhatThereIs) {
    EXPECT_EQ(problem_of("{}"), "lies must be an array of objects");
    EXPECT_TRUE(problem_of(R"([{"lie":"fire"}])").starts_with("lies[0]: lie must be one of false_head, "));
    EXPECT_EQ(problem_of(R"([{"lie":"fork","depth":3}])"),
              "lies[0]: `fork` has no member `depth`; it has: times, from, blocks, wrong_parent, days");
    EXPECT_EQ(problem_of(R"([{"lie":"fork"},{"lie":"fork","blocks":0}])"),
              "lies[1]: blocks must be a whole number above 0");
    EXPECT_EQ(problem_of(R"([{"lie":"fork","times":-1}])"), "lies[0]: times must be a whole number above 0");
}

TEST(LiesAsJson, AreShownAsTheyAreTold) {
    const auto lies = read_lies(json::parse(R"([{"lie":"fork","times":2}])"));
    EXPECT_EQ(to_json(*lies),
              json::parse(R"([{"lie":"fork","blocks":1,"days":0,"wrong_parent":false,"times":2,"told":0}])"));
}

TEST_F(LyingHost, NamesAFinalHeadThatIsNotThere) {
    tell(R"([{"lie":"false_head"}])");
    const json head = final_header();
    EXPECT_EQ(head["height"], 148);
    EXPECT_EQ(head["prev_height"], 147);
    EXPECT_EQ(block({{"block_id", 148}})["header"], head);
    EXPECT_EQ(block({{"block_id", head["hash"]}})["header"], head);
    error("block", {{"block_id", 147}}, "UNKNOWN_BLOCK", 422);
    error("block", {{"block_id", head["prev_hash"]}}, "UNKNOWN_BLOCK");
    EXPECT_EQ(block({{"block_id", 118}})["header"]["hash"], FakeChain::hash_of(118));
    EXPECT_EQ(result("status", json::array())["sync_info"]["latest_block_height"], 148);
    EXPECT_EQ(header_of(handle(get("/v0/last_block/final")), "Location"), "/v0/block/148");
    EXPECT_EQ(json_of(handle(get("/v0/block/148")))["block"]["header"], head);
    EXPECT_EQ(text_of(handle(get("/v0/block/147"))), "null");
    tell("[]");
    EXPECT_EQ(final_header()["height"], 118);
}

TEST_F(LyingHost, NamesAHeadAtAnyHeight) {
    tell(R"([{"lie":"false_head","ahead":200000}])");
    EXPECT_EQ(final_header()["height"], 200118);
    tell(R"([{"lie":"false_head","height":9223372036854775806}])");
    EXPECT_EQ(final_header()["height"], 9223372036854775806u);
    EXPECT_EQ(result("query", {{"request_type", "view_account"},
                               {"account_id", "alice.sandbox"},
                               {"finality", "final"}})["block_height"],
              9223372036854775806u);
}

TEST_F(LyingHost, TellsALieAsOftenAsItIsTold) {
    tell(R"([{"lie":"false_head","times":2}])");
    EXPECT_EQ(block({{"block_id", 118}})["header"]["height"], 118) << "not an answer that tells it";
    EXPECT_EQ(final_header()["height"], 148);
    EXPECT_EQ(lies().at(0).times, 1u);
    EXPECT_EQ(lies().at(0).answers, 1u);
    EXPECT_EQ(final_header()["height"], 148);
    EXPECT_EQ(final_header()["height"], 118);
    EXPECT_TRUE(lies().empty());
}

TEST_F(LyingHost, KeepsToItsFalseHeadWhenTheChainHasPassedIt) {
    tell(R"([{"lie":"false_head"}])");
    const json head = final_header();
    chain_.newest = 160;
    EXPECT_EQ(final_header()["height"], 158);
    EXPECT_EQ(block({{"block_id", 148}})["header"], head);
    EXPECT_EQ(block({{"block_id", 149}})["header"]["hash"], FakeChain::hash_of(149));
}

TEST_F(LyingHost, InventsTheNextFinalBlock) {
    tell(R"([{"lie":"fork"}])");
    EXPECT_EQ(lies().at(0).number("from"), 119u);
    const json head = final_header();
    EXPECT_EQ(head["height"], 119);
    EXPECT_NE(head["hash"], FakeChain::hash_of(119));
    EXPECT_EQ(head["prev_hash"], FakeChain::hash_of(118));
    EXPECT_EQ(block({{"block_id", head["hash"]}})["header"], head);
    error("block", {{"block_id", FakeChain::hash_of(119)}}, "UNKNOWN_BLOCK");
    EXPECT_EQ(json_of(handle(get("/v0/block/119")))["block"]["header"], head);
    chain_.newest = 125;
    EXPECT_EQ(block({{"block_id", 119}})["header"], head);
    EXPECT_EQ(final_header()["hash"], FakeChain::hash_of(123)) << "the rest is true";
}

TEST_F(LyingHost, ChangesTheTimeOfEachBlockButNotItsHash) {
    constexpr std::int64_t day = 86'400'000'000'000;
    const json truth = block({{"block_id", 111}})["header"];
    tell(R"([{"lie":"false_header","days":-30,"step":2}])");
    const json first = block({{"block_id", 111}})["header"];
    EXPECT_EQ(first["hash"], truth["hash"]);
    EXPECT_EQ(first["timestamp"], std::stoll(truth["timestamp_nanosec"].get<std::string>()) - 30 * day);
    EXPECT_EQ(first["timestamp_nanosec"], std::to_string(first["timestamp"].get<std::int64_t>()));
    EXPECT_EQ(block({{"block_id", 111}})["header"]["timestamp"],
              first["timestamp"].get<std::int64_t>() + 2 * day);
    EXPECT_EQ(json_of(handle(get("/v0/block/111")))["block"]["header"]["timestamp"],
              first["timestamp"].get<std::int64_t>() + 4 * day);
    EXPECT_EQ(lies().at(0).answers, 3u);
}

TEST_F(LyingHost, ChangesOrLeavesOutAMemberOfEachHeader) {
    tell(R"([{"lie":"false_header","member":"prev_height","value":7}])");
    EXPECT_EQ(block({{"block_id", 111}})["header"]["prev_height"], 7);
    tell(R"([{"lie":"false_header","member":"prev_height"}])");
    EXPECT_FALSE(block({{"block_id", 111}})["header"].contains("prev_height"));
}

TEST_F(LyingHost, InventsABlockThatFitsNowhere) {
    tell(R"([{"lie":"fork","wrong_parent":true}])");
    const json head = final_header();
    EXPECT_EQ(head["height"], 119);
    EXPECT_NE(head["prev_hash"], FakeChain::hash_of(118));
    error("block", {{"block_id", head["prev_hash"]}}, "UNKNOWN_BLOCK");
}

TEST_F(LyingHost, FollowsAForkForSomeBlocks) {
    tell(R"([{"lie":"fork","from":111,"blocks":4}])");
    EXPECT_EQ(final_header()["height"], 118);
    const json first = block({{"block_id", 111}})["header"];
    const json second = block({{"block_id", 112}})["header"];
    const json last = block({{"block_id", 114}})["header"];
    EXPECT_EQ(first["prev_hash"], FakeChain::hash_of(110));
    EXPECT_EQ(second["prev_hash"], first["hash"]);
    EXPECT_EQ(last["prev_hash"], second["hash"]) << "113 is skipped there, too";
    EXPECT_EQ(last["prev_height"], 112);
    EXPECT_EQ(block({{"block_id", 115}})["header"]["hash"], FakeChain::hash_of(115));
}

TEST_F(LyingHost, IsOfAnotherNetwork) {
    const auto truth = result("status", json::array());
    tell(R"([{"lie":"network","chain_id":"othernet"}])");
    json status = result("status", json::array());
    EXPECT_EQ(status["chain_id"], "othernet");
    EXPECT_NE(status["genesis_hash"], truth["genesis_hash"]);
    EXPECT_EQ(json_of(handle(get("/status")))["chain_id"], "othernet");
    EXPECT_EQ(final_header()["hash"], FakeChain::hash_of(118));
    tell(R"([{"lie":"network","genesis_hash":"x"}])");
    status = result("status", json::array());
    EXPECT_EQ(status["chain_id"], truth["chain_id"]) << "another genesis under the same name";
    EXPECT_EQ(status["genesis_hash"], "x");
}

TEST_F(LyingHost, HasOtherBlocksFromTheFirstOn) {
    tell(R"([{"lie":"network","blocks":true}])");
    const json head = final_header();
    EXPECT_EQ(head["height"], 118);
    EXPECT_NE(head["hash"], FakeChain::hash_of(118));
    const json parent = block({{"block_id", head["prev_hash"]}})["header"];
    EXPECT_EQ(parent["height"], 117);
    EXPECT_EQ(result("status", json::array())["genesis_hash"], block({{"block_id", 100}})["header"]["hash"]);
    error("block", {{"block_id", FakeChain::hash_of(110)}}, "UNKNOWN_BLOCK");
}

}  // namespace
}  // namespace receiptd::sandbox
