// Hashes recomputed from headers as hosts of NEAR's networks showed them, of the five forms there were
// (proofs.md §5).
#include "chain/proof/header_hash.hpp"

#include "decode_fixtures.hpp"

#include <gtest/gtest.h>

#include <map>

namespace receiptd::chain {
namespace {

using testing::OrderedJson;

OrderedJson recorded(const std::string& height) {
    const std::string path = RECEIPTD_TEST_DATA "/recorded/whole-block/" + height + ".json";
    auto block = OrderedJson::parse(test::read_file(path)).at("block");
    if (!block.contains("chunks"))
        block["chunks"] = OrderedJson::array();  // old recordings have them by the shard
    return block;
}

HeaderHash hash_of(const OrderedJson& block) {
    const auto decoded = decode_block(block.dump());
    if (!decoded) throw std::runtime_error(decoded.error().to_string());
    return header_hash(*decoded->document, decoded->value.header);
}

// One of form V5 that shows everything.
class ShownHeader : public ::testing::Test {
protected:
    HeaderHash with(const std::string& pointer, const OrderedJson& value) {
        auto changed = block;
        changed.at("header")[OrderedJson::json_pointer(pointer)] = value;
        return hash_of(changed);
    }
    HeaderHash without(const std::string& member) {
        auto changed = block;
        changed.at("header").erase(member);
        return hash_of(changed);
    }
    const OrderedJson block = recorded("232952651");
    const std::string other_hash = block.at("header").at("prev_hash");
};

TEST(HeaderHashes, OfTheChainFollowFromTheirHeaders) {
    for (const char* height : {"34834052", "70834061", "71771951", "75306841", "81206675", "84423722",
                               "107503704", "107503705", "120572296", "232952651"})
        EXPECT_EQ(hash_of(recorded(height)), HeaderHash::equal) << height;
}

TEST(HeaderHashes, AreNotCalledDifferentWhereARecordingLacksOrDoublesAMember) {
    // 182018895 lacks block_body_hash; the others show chunk_headers_root in place of chunk_receipts_root.
    for (const char* height : {"182018895", "34834053", "42598892", "55905793"})
        EXPECT_EQ(hash_of(recorded(height)), HeaderHash::unknown_form) << height;
}

TEST_F(ShownHeader, EachMemberThatTheHashCoversIsCovered) {
    for (const char* member : {"prev_hash", "epoch_id", "next_epoch_id", "prev_state_root", "outcome_root",
                               "next_bp_hash", "block_merkle_root", "block_body_hash", "chunk_receipts_root",
                               "chunk_headers_root", "chunk_tx_root", "challenges_root", "random_value",
                               "last_final_block", "last_ds_final_block", "epoch_sync_data_hash"}) {
        const auto now = block.at("header").at(member);
        EXPECT_EQ(with(std::string("/") + member,
                       now == other_hash ? block.at("header").at("hash") : OrderedJson(other_hash)),
                  HeaderHash::different)
            << member;
    }
    for (const char* member : {"height", "prev_height", "block_ordinal"})
        EXPECT_EQ(with(std::string("/") + member, 7), HeaderHash::different) << member;
    for (const char* member : {"gas_price", "total_supply", "timestamp_nanosec"})
        EXPECT_EQ(with(std::string("/") + member, "7"), HeaderHash::different) << member;
    EXPECT_EQ(with("/hash", other_hash), HeaderHash::different);
    EXPECT_EQ(with("/latest_protocol_version", 81), HeaderHash::different);
    EXPECT_EQ(with("/chunk_mask/0", false), HeaderHash::different);
    EXPECT_EQ(with("/approvals/0", nullptr), HeaderHash::different);
    EXPECT_EQ(with("/chunk_endorsements/0/0", 7), HeaderHash::different);
    EXPECT_EQ(with("/challenges_result/0", {{"account_id", "liar.near"}, {"is_double_sign", true}}),
              HeaderHash::different);
    EXPECT_EQ(with("/validator_proposals/0", {{"account_id", "liar.near"},
                                              {"public_key", "ed25519:" + other_hash},
                                              {"stake", "7"},
                                              {"validator_stake_struct_version", "V1"}}),
              HeaderHash::different);
}

TEST_F(ShownHeader, OtherMembersAreNot) {
    EXPECT_EQ(with("/rent_paid", "7"), HeaderHash::equal);
    EXPECT_EQ(with("/chunks_included", 1), HeaderHash::equal);
    EXPECT_EQ(with("/of_tomorrow", {1, 2}), HeaderHash::equal);
    EXPECT_EQ(without("signature"), HeaderHash::equal);
}

TEST_F(ShownHeader, ThatLacksAMemberOrHasItInAnotherFormIsOfAnUnknownForm) {
    for (const char* member : {"block_body_hash", "random_value", "approvals", "chunk_endorsements",
                               "chunk_mask", "validator_proposals", "block_merkle_root", "prev_height"})
        EXPECT_EQ(without(member), HeaderHash::unknown_form) << member;
    EXPECT_EQ(with("/approvals", 7), HeaderHash::unknown_form);
    EXPECT_EQ(with("/approvals/0", "falcon:" + other_hash), HeaderHash::unknown_form);
    EXPECT_EQ(with("/chunk_endorsements/0/0", 256), HeaderHash::unknown_form);
    EXPECT_EQ(with("/random_value", "0"), HeaderHash::unknown_form);
    EXPECT_EQ(with("/shard_split", {7}), HeaderHash::unknown_form);
    EXPECT_EQ(with("/validator_proposals/0", {{"account_id", "a.near"},
                                              {"public_key", "ed25519:" + other_hash},
                                              {"stake", "7"},
                                              {"validator_stake_struct_version", "V2"}}),
              HeaderHash::unknown_form);
}

TEST_F(ShownHeader, OfAProtocolThatNobodyKnowsIsOfAnUnknownForm) {
    EXPECT_EQ(with("/latest_protocol_version", kNewestKnownHeader), HeaderHash::different);
    EXPECT_EQ(with("/latest_protocol_version", kNewestKnownHeader + 1), HeaderHash::unknown_form);
}

TEST(HeaderHashes, OfAHeaderWithEscapedStringsFollow) {
    auto text = recorded("232952651").dump();
    const std::string key = "\"random_value\":\"";
    const auto at = text.find(key) + key.size();
    text.replace(at, 1,
                 "\\u00" + std::string(1, "0123456789abcdef"[text[at] / 16]) +
                     std::string(1, "0123456789abcdef"[text[at] % 16]));
    const auto decoded = decode_block(text);
    ASSERT_TRUE(decoded) << decoded.error().to_string();
    EXPECT_EQ(header_hash(*decoded->document, decoded->value.header), HeaderHash::equal);
}

}  // namespace
}  // namespace receiptd::chain
