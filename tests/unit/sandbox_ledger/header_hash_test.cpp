// A block's hash follows from what its JSON shows (proofs.md §5): anybody can recompute it, of forged blocks
// too.
#include "test_chain.hpp"

#include "chain/json/decode.hpp"
#include "chain/proof/header_hash.hpp"
#include "chain/proof/merkle.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {
namespace {

using sim::Json;

CryptoHash hash_in(const Json& object, const char* name) {
    return *CryptoHash::parse(object.at(name).get_ref<const std::string&>());
}

CryptoHash root_of(const Json& chunks, const char* member) {
    std::vector<CryptoHash> leaves;
    for (const Json& chunk : chunks) leaves.push_back(chain::sha256(hash_in(chunk, member).view()));
    return chain::merkle_root(leaves);
}

void expect_to_follow(const Json& block) {
    const Json& header = block.at("header");
    const auto decoded = chain::decode_block(block.dump());
    ASSERT_TRUE(decoded) << decoded.error().to_string();
    EXPECT_EQ(chain::header_hash(*decoded->document, decoded->value.header), chain::HeaderHash::equal)
        << header;
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
