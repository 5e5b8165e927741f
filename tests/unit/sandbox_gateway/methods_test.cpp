// The other methods of a chain that lives, and finality (rpc.md §2, §4, §7-9).
#include "unit/sandbox_gateway/live_host.hpp"

namespace receiptd::sandbox {
namespace {

using namespace test;

class Methods : public LiveHost {};

TEST_F(Methods, KnowThreeHeads) {
    const auto height = [&](const char* finality) {
        return result("block", {{"finality", finality}})["header"]["height"];
    };
    EXPECT_EQ(height("optimistic"), 120);
    EXPECT_EQ(height("near-final"), 119);
    EXPECT_EQ(height("final"), 118);
}

TEST_F(Methods, TellWhatABlockTouchedUnderBothNames) {
    for (const auto* name : {"block_effects", "EXPERIMENTAL_changes_in_block"}) {
        const json effects = result(name, {{"block_id", 110}});
        EXPECT_EQ(effects["block_hash"], FakeChain::hash_of(110));
        EXPECT_EQ(effects["changes"][0]["type"], "account_touched");
    }
    error("block_effects", {{"block_id", 113}}, "UNKNOWN_BLOCK", 422);
}

TEST_F(Methods, GiveValidatorsOfThisEpochAndAtTheEndOfOthers) {
    const auto start = [&](const json& params) { return result("validators", params)["epoch_start_height"]; };
    for (const json& params : {json::array({nullptr}), json::array(), json("latest"),
                               json{{"latest", nullptr}}, json{{"block_id", 120}}, json(nullptr)})
        EXPECT_EQ(start(params), 120) << params;
    EXPECT_EQ(start({{"block_id", 119}}), 110) << "the last of its epoch";
    EXPECT_EQ(start({{"epoch_id", hash_text(11)}}), 110);
    EXPECT_FALSE(
        error("validators", {{"block_id", 115}}, "VALIDATOR_INFO_UNAVAILABLE")["cause"].contains("info"));
    error("validators", {{"block_id", 999}}, "UNKNOWN_EPOCH");
    error("validators", {{"epoch_id", hash_text(99)}}, "UNKNOWN_EPOCH");
    EXPECT_EQ(result("EXPERIMENTAL_validators_ordered",
                     json::array({nullptr}))[0]["validator_stake_struct_version"],
              "V1");
}

TEST_F(Methods, GiveReceiptsTheirOriginAndProofs) {
    EXPECT_EQ(result("EXPERIMENTAL_receipt", {{"receipt_id", hash_text(1)}})["receipt_id"], hash_text(1));
    EXPECT_EQ(result("EXPERIMENTAL_receipt_to_tx", {{"receipt_id", hash_text(1)}}),
              (json{{"transaction_hash", hash_text(3)}, {"sender_account_id", "alice.sandbox"}}));
    error("EXPERIMENTAL_receipt_to_tx", {{"receipt_id", hash_text(2)}}, "UNKNOWN_RECEIPT");
    json params{{"type", "receipt"},
                {"receipt_id", hash_text(1)},
                {"receiver_id", "a.b"},
                {"light_client_head", FakeChain::hash_of(115)}};
    EXPECT_EQ(result("light_client_proof", params)["head"], 115);
    EXPECT_EQ(result("EXPERIMENTAL_light_client_proof", params)["head"], 115);
    params["receipt_id"] = hash_text(2);
    EXPECT_EQ(
        error("light_client_proof", params, "NOT_CONFIRMED")["cause"]["info"]["transaction_or_receipt_id"],
        hash_text(2));
    params["receipt_id"] = hash_text(3);
    error("light_client_proof", params, "UNKNOWN_TRANSACTION_OR_RECEIPT");
    params["light_client_head"] = hash_text(3);
    error("light_client_proof", params, "UNKNOWN_BLOCK");
    params["type"] = "fire";
    error("light_client_proof", params, "PARSE_ERROR", 400);
}

TEST_F(Methods, GiveLightClientsTheirNextBlock) {
    const json named{{"last_block_hash", FakeChain::hash_of(110)}};
    EXPECT_EQ(result("next_light_client_block", named)["inner_lite"]["height"], 118);
    EXPECT_EQ(result("next_light_client_block", json::array({FakeChain::hash_of(110)})),
              result("next_light_client_block", named));
    EXPECT_EQ(result("next_light_client_block", {{"last_block_hash", FakeChain::hash_of(119)}}),
              json::object());
    error("next_light_client_block", {{"last_block_hash", hash_text(99)}}, "UNKNOWN_BLOCK");
    error("next_light_client_block", json::array(), "PARSE_ERROR", 400);
}

TEST_F(Methods, GiveConfigurationCongestionAndMaintenance) {
    EXPECT_EQ(result("EXPERIMENTAL_protocol_config", {{"finality", "final"}})["at"], 118);
    EXPECT_EQ(result("genesis_config", nullptr), result("EXPERIMENTAL_genesis_config", json::array()));
    EXPECT_EQ(
        result("EXPERIMENTAL_congestion_level", {{"block_id", 110}, {"shard_id", 0}})["congestion_level"],
        0.5);
    error("EXPERIMENTAL_congestion_level", {{"chunk_id", hash_text(3)}}, "UNKNOWN_CHUNK");
    EXPECT_EQ(result("maintenance_windows", {{"account_id", "node0.sandbox"}}), json::array());
    EXPECT_EQ(result("gas_price", {{"block_id", 110}})["gas_price"], "100000000");
}

TEST_F(Methods, DescribeTheNode) {
    const json status = result("status", nullptr);
    EXPECT_EQ(status["sync_info"]["latest_block_height"], 120);
    EXPECT_EQ(status["sync_info"]["epoch_start_height"], 120);
    EXPECT_EQ(status["genesis_hash"], FakeChain::hash_of(100));
    EXPECT_EQ(status["validators"], (json{{{"account_id", "node0"}}}));
    EXPECT_EQ(json_of(handle(get("/network_info"))), result("network_info", nullptr));
    EXPECT_EQ(result("network_info", nullptr)["known_producers"].size(), 1u);
    EXPECT_TRUE(result("health", nullptr).is_null());
}

TEST_F(Methods, ThatNeedAStateDoNotExistOnARecording) {
    Gateway recording(static_cast<Chain&>(chain_), clock_, options_);
    for (const auto* method :
         {"query", "send_tx", "broadcast_tx_async", "validators", "EXPERIMENTAL_view_account"}) {
        const auto reply = recording.answer(post(call(method, json::object())), recording.window());
        EXPECT_EQ(reply.status, 400);
        EXPECT_EQ(json_of(reply)["error"]["cause"]["name"], "METHOD_NOT_FOUND") << method;
    }
}

TEST_F(Methods, KeepTheFinalBlockHoweverShortTheRetention) {
    options_.retention_blocks = 1;
    EXPECT_EQ(result("block", {{"finality", "final"}})["header"]["height"], 118);
    EXPECT_EQ(result("status", nullptr)["sync_info"]["earliest_block_height"], 118);
    error("block", {{"block_id", 117}}, "UNKNOWN_BLOCK", 422);
}

// As recorded on a real node.
TEST_F(Methods, AnswerFromTheHeaderOfABlockThatWasCollected) {
    const json old = {{"last_block_hash", FakeChain::hash_of(110)}};
    const auto kept = result("next_light_client_block", old);
    options_.retention_blocks = 1;
    EXPECT_EQ(result("next_light_client_block", old), kept);
    EXPECT_TRUE(result("gas_price", json::array({110})).contains("gas_price"));
}

}  // namespace
}  // namespace receiptd::sandbox
