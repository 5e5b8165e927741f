// A block's hash follows from what its JSON shows (proofs.md §5): anybody can recompute it, of forged blocks
// too.
#include "test_chain.hpp"

#include "chain/proof/light_client.hpp"
#include "chain/wire/borsh.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {
namespace {

using chain::Writer;
using sim::Json;

CryptoHash hash_in(const Json& object, const char* name) {
    return *CryptoHash::parse(object.at(name).get_ref<const std::string&>());
}

u128 amount_in(const Json& object, const char* name) {
    u128 amount = 0;
    for (const char digit : object.at(name).get_ref<const std::string&>())
        amount = amount * 10 + static_cast<u128>(digit - '0');
    return amount;
}

CryptoHash root_of(const Json& chunks, const char* member) {
    std::vector<CryptoHash> leaves;
    for (const Json& chunk : chunks) leaves.push_back(chain::sha256(hash_in(chunk, member).view()));
    return chain::merkle_root(leaves);
}

// BlockHeaderInnerRestV6.
CryptoHash inner_rest_hash(const Json& header) {
    Writer writer;
    for (const char* name :
         {"block_body_hash", "chunk_receipts_root", "chunk_headers_root", "chunk_tx_root", "random_value"})
        writer.hash(hash_in(header, name));
    writer.count(header.at("validator_proposals").size());
    writer.count(header.at("chunk_mask").size());
    for (const Json& is_new : header.at("chunk_mask")) writer.boolean(is_new);
    writer.u128(amount_in(header, "gas_price"));
    writer.u128(amount_in(header, "total_supply"));
    writer.hash(hash_in(header, "last_final_block"));
    writer.hash(hash_in(header, "last_ds_final_block"));
    writer.u64(header.at("block_ordinal"));
    writer.u64(header.at("prev_height"));
    writer.option(!header.at("epoch_sync_data_hash").is_null());
    if (!header.at("epoch_sync_data_hash").is_null()) writer.hash(hash_in(header, "epoch_sync_data_hash"));
    writer.count(header.at("approvals").size());
    for (const Json& approval : header.at("approvals")) {
        writer.option(true);
        chain::Signature::parse(approval.get_ref<const std::string&>())->write(writer);
    }
    writer.u32(header.at("latest_protocol_version"));
    writer.count(header.at("chunk_endorsements").size());
    for (const Json& bitmap : header.at("chunk_endorsements")) writer.bytes(bitmap.get<chain::Bytes>());
    writer.option(false);
    return chain::sha256(writer.result());
}

std::string recomputed_hash(const Json& header) {
    chain::LightHeader light;
    light.inner_lite.height = header.at("height");
    light.inner_lite.epoch_id = hash_in(header, "epoch_id");
    light.inner_lite.next_epoch_id = hash_in(header, "next_epoch_id");
    light.inner_lite.prev_state_root = hash_in(header, "prev_state_root");
    light.inner_lite.outcome_root = hash_in(header, "outcome_root");
    light.inner_lite.timestamp_nanosec = header.at("timestamp");
    light.inner_lite.next_bp_hash = hash_in(header, "next_bp_hash");
    light.inner_lite.block_merkle_root = hash_in(header, "block_merkle_root");
    light.inner_rest_hash = inner_rest_hash(header);
    light.prev_block_hash = hash_in(header, "prev_hash");
    return chain::block_hash(light).to_string();
}

void expect_to_follow(const Json& block) {
    const Json& header = block.at("header");
    EXPECT_EQ(header.at("hash"), recomputed_hash(header)) << header;
    EXPECT_EQ(hash_in(header, "chunk_tx_root"), root_of(block.at("chunks"), "tx_root"));
    EXPECT_EQ(hash_in(header, "chunk_receipts_root"), root_of(block.at("chunks"), "outgoing_receipts_root"));
    EXPECT_EQ(hash_in(header, "prev_state_root"), root_of(block.at("chunks"), "prev_state_root"));
}

TEST(HeaderHash, FollowsFromTheHeader) {
    TestChain chain;
    chain.ledger->withhold_chunk(chain.ledger->layout().shard_id(1), 2);
    chain.produce(6);
    for (Height height = 1'000; height <= 1'006; ++height) expect_to_follow(chain.block(height));
}

TEST(HeaderHash, OfAForgedBlockFollowsToo) {
    TestChain chain;
    chain.produce(4);
    const std::string parent = chain.block(1'003)["header"]["hash"];
    for (const Height height : {Height{1'004}, Height{9'223'372'036'854'775'806}})
        expect_to_follow(Json::parse(chain.ledger->forge({1'004, height, 1'003, parent}).block));
}

}  // namespace
}  // namespace receiptd::sandbox
