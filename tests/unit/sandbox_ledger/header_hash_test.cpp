// A block's hash follows from what its JSON shows (proofs.md §5): anybody can recompute it, of forged blocks
// too.
#include "test_chain.hpp"

#include "chain/json/decode.hpp"
#include "chain/proof/header_hash.hpp"
#include "chain/proof/merkle.hpp"
#include "chain/wire/borsh.hpp"
#include "sandbox/ledger/chain_hashes.hpp"

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

TEST(HeaderHash, FollowsFromTheOlderFormOfVersion84) {
    LedgerOptions options = test_options();
    options.protocol = sim::find_protocol(84);
    TestChain chain(std::move(options));
    chain.produce(4);
    EXPECT_FALSE(chain.block(1'003)["header"].contains("shard_split"));
    for (Height height = 1'000; height <= 1'004; ++height) expect_to_follow(chain.block(height));
}

TEST(HeaderHash, FollowsFromBothFormsWhereTheVersionJumps) {
    LedgerOptions options = test_options();
    options.protocol = sim::find_protocol(84);
    options.upgrades = {{1, sim::find_protocol(86)}};
    TestChain chain(std::move(options));
    const auto hash = chain.send(chain.transfer("alice.sandbox", "bob.sandbox", 1));
    chain.produce(25);
    EXPECT_EQ(chain.block(1'019)["header"]["latest_protocol_version"], 84);
    EXPECT_EQ(chain.block(1'020)["header"]["latest_protocol_version"], 86);
    EXPECT_EQ(chain.ledger->protocol_config(1'019)["protocol_version"], 84);
    EXPECT_EQ(chain.ledger->protocol_config(1'020)["protocol_version"], 86);
    for (Height height = 1'000; height <= 1'025; ++height) expect_to_follow(chain.block(height));
}

TEST(HeaderHash, OfAForgedBlockFollowsToo) {
    TestChain chain;
    chain.produce(4);
    const std::string parent = chain.block(1'003)["header"]["hash"];
    for (const Height height : {Height{1'004}, Height{9'223'372'036'854'775'806}})
        expect_to_follow(Json::parse(chain.ledger->forge({1'004, height, 1'003, parent}).block));
}

// --- The root over a chunk's receipts (encoding.md §7.5) ---

ReceiptPtr transfer_to(const std::string& receiver_id, std::uint8_t id) {
    auto receipt = std::make_shared<sim::Receipt>();
    receipt->receipt_id.bytes[0] = id;
    receipt->predecessor_id = "alice.sandbox";
    receipt->receiver_id = receiver_id;
    sim::ActionReceipt body;
    body.actions = {{sim::wire::Transfer{id}}};
    receipt->body = std::move(body);
    return receipt;
}

CryptoHash leaf_of(std::uint64_t shard_id, const std::vector<ReceiptPtr>& receipts) {
    chain::Writer writer;
    writer.u64(shard_id);
    writer.count(receipts.size());
    for (const ReceiptPtr& receipt : receipts) writer.raw(receipt_borsh(*receipt));
    return chain::sha256(chain::sha256(writer.result()).view());
}

TEST(ReceiptsRoot, HasALeafForEachShardInTheOrderOfTheLayout) {
    const ShardLayout layout(3);
    const std::vector<std::string> names{"alice.sandbox", "bob.sandbox", "carol.sandbox", "relayer.sandbox"};
    ChunkRecord chunk;
    chunk.previous = std::make_shared<const Application>();
    std::vector<std::vector<ReceiptPtr>> by_shard(3);
    for (std::uint8_t i = 0; i < 8; ++i) {
        chunk.receipts.push_back(transfer_to(names[i % names.size()], i));
        by_shard[layout.index_of(names[i % names.size()])].push_back(chunk.receipts.back());
    }
    chunk.layout = std::make_shared<const ShardLayout>(layout);
    seal_chunk(chunk);
    std::vector<CryptoHash> leaves;
    for (std::size_t i = 0; i < 3; ++i) leaves.push_back(leaf_of(layout.shard_id(i), by_shard[i]));
    EXPECT_EQ(chunk.outgoing_receipts_root, chain::merkle_root(leaves));
}

TEST(ReceiptsRoot, OfAChunkWithoutReceiptsHasItsLeavesToo) {
    const ShardLayout layout(2);
    ChunkRecord chunk;
    chunk.previous = std::make_shared<const Application>();
    chunk.layout = std::make_shared<const ShardLayout>(layout);
    seal_chunk(chunk);
    const std::vector<CryptoHash> leaves{leaf_of(layout.shard_id(0), {}), leaf_of(layout.shard_id(1), {})};
    EXPECT_EQ(chunk.outgoing_receipts_root, chain::merkle_root(leaves));
}

// proofs.md: since version 82 a contract's receipts have a member for the receiver of refunds.
TEST(ReceiptsRoot, KnowsTheReceiptsThatContractsMake) {
    const ReceiptPtr plain = transfer_to("bob.sandbox", 1);
    sim::Receipt made = *plain;
    std::get<sim::ActionReceipt>(made.body).is_of_contract = true;
    EXPECT_EQ(receipt_borsh(made).size(), receipt_borsh(*plain).size() + 1);
    EXPECT_NE(receipt_borsh(made), receipt_borsh(*plain));
}

}  // namespace
}  // namespace receiptd::sandbox
