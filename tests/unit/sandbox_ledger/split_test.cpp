// A shard that is split at the edge of an epoch (proofs.md §7, rpc.md §7.4).
#include "random_traffic.hpp"

#include "chain/json/decode.hpp"
#include "chain/proof/header_hash.hpp"
#include "chain/proof/outcomes_root.hpp"

#include <nlohmann/json.hpp>

#include <set>

namespace receiptd::sandbox {
namespace {

using sim::Json;

constexpr Height kEdge = 1'040;  // the first block of epoch 2
// Alice stays below, Bob is above.
constexpr std::uint64_t kParent = 8, kLeft = 10, kRight = 11;

LedgerOptions split_options() {
    LedgerOptions options = test_options();
    options.splits = {{2, "bob.sandbox"}};
    for (GenesisAccount& account : options.accounts) account.amount = 1'000'000 * kToken;
    return options;
}

// The blocks as the daemon reads them.
class Blocks {
public:
    explicit Blocks(const TestChain& chain) {
        for (Height height = chain.ledger->first(); height <= chain.ledger->tip(); ++height) {
            const auto text = chain.ledger->whole_block(height);
            if (!text) continue;
            auto decoded = chain::decode_whole_block(*text);
            if (!decoded) throw std::runtime_error(decoded.error().to_string());
            documents_.push_back(std::move(*decoded));
            auto& header = documents_.back().value.block.header;
            header.hash_is = chain::header_hash(*documents_.back().document, header);
        }
    }
    std::size_t size() const { return documents_.size(); }
    const chain::WholeBlock& operator[](std::size_t index) const { return documents_[index].value; }

    // The roots in the first new chunks above the block that tell the outcomes of that shard there.
    std::set<std::string> roots_above(std::size_t index, std::uint64_t shard_id) const {
        std::set<std::string> roots;
        std::set<std::uint64_t> shards{shard_id};
        for (std::size_t i = index + 1; i < size() && !shards.empty(); ++i) {
            const auto& header = (*this)[i].block.header;
            if (header.height >= kEdge && shards.erase(kParent) > 0) shards.insert({kLeft, kRight});
            for (const auto& chunk : (*this)[i].block.chunks) {
                if (chunk.height_included == header.height && shards.erase(chunk.shard_id) > 0)
                    roots.emplace(chunk.outcome_root);
            }
        }
        return roots;
    }

private:
    std::vector<chain::Decoded<chain::WholeBlock>> documents_;
};

struct Split : testing::Test {
    TestChain chain{split_options()};

    void produce_to(Height height) {
        while (chain.ledger->tip() < height) chain.produce();
    }
    void expect_sound() {
        const CheckReport report = chain.ledger->check();
        EXPECT_TRUE(report.ok()) << report.to_json().dump(1);
        EXPECT_EQ(report.executed, report.receipts);
        EXPECT_EQ(report.under_way, 0U);
    }
    Json shard_ids_at(Height height) {
        Json ids = Json::array();
        const Json block = chain.block(height);
        for (const Json& chunk : block.at("chunks")) ids.push_back(chunk.at("shard_id"));
        return ids;
    }
    Json layout_at(Height height) { return chain.ledger->protocol_config(height).at("shard_layout"); }
};

TEST_F(Split, GivesTheParentsPlaceToItsChildren) {
    produce_to(kEdge + 2);
    EXPECT_EQ(shard_ids_at(kEdge - 1), Json({kParent, 9, 6}));
    EXPECT_EQ(shard_ids_at(kEdge), Json({kLeft, kRight, 9, 6}));
    Json whole = Json::array();
    const Json block = chain.whole(kEdge);
    for (const Json& shard : block.at("shards")) whole.push_back(shard.at("shard_id"));
    EXPECT_EQ(whole, shard_ids_at(kEdge));
    EXPECT_EQ(chain.shard_id_of("alice.sandbox"), kLeft);
    EXPECT_EQ(chain.shard_id_of("bob.sandbox"), kRight);
    EXPECT_EQ(chain.ledger->validators(kEdge + 1).at("current_validators").at(0).at("shards").size(), 4U);
}

TEST_F(Split, IsToldByTheConfigurationOfItsEpoch) {
    produce_to(kEdge);
    EXPECT_EQ(layout_at(kEdge - 1).at("V2").at("shard_ids"), Json({kParent, 9, 6}));
    EXPECT_EQ(layout_at(kEdge),
              Json({{"V3",
                     {{"boundary_accounts", {"bob.sandbox", "carol.sandbox", "relayer.sandbox"}},
                      {"shard_ids", {kLeft, kRight, 9, 6}},
                      {"id_to_index_map", {{"10", 0}, {"11", 1}, {"9", 2}, {"6", 3}}},
                      {"shards_split_map", {{"8", {kLeft, kRight}}}},
                      {"last_split", kParent}}}}));
    EXPECT_EQ(chain.ledger->genesis_config().at("shard_layout"), layout_at(1'000));
}

TEST_F(Split, IsAnnouncedTwoEpochsBefore) {
    produce_to(kEdge + 1);
    for (Height height = 1'000; height <= kEdge; ++height)
        EXPECT_EQ(chain.block(height).at("header").at("shard_split"),
                  height == 1'019 ? Json({kParent, "bob.sandbox"}) : Json())
            << height;
}

TEST_F(Split, OfVersion84HasTheOlderLayout) {
    LedgerOptions options = split_options();
    options.protocol = sim::find_protocol(84);
    TestChain older(std::move(options));
    older.produce(41);
    const Json layout = older.ledger->protocol_config(kEdge).at("shard_layout").at("V2");
    EXPECT_EQ(layout.at("shards_split_map"), Json({{"8", {kLeft, kRight}}, {"9", {9}}, {"6", {6}}}));
    EXPECT_EQ(layout.at("shards_parent_map"), Json({{"10", 8}, {"11", 8}, {"9", 9}, {"6", 6}}));
    EXPECT_FALSE(older.block(1'019).at("header").contains("shard_split"));
}

// Receipts, delayed ones, callbacks, yields and transactions that wait: all of them cross the edge.
TEST_F(Split, CarriesAllThatIsUnderWayAcross) {
    RandomTraffic traffic(chain, 5);
    produce_to(kEdge - 8);
    while (chain.ledger->tip() < kEdge + 4) {
        for (int i = 0; i < 20; ++i) chain.send(traffic.next());
        if (chain.ledger->tip() == kEdge - 4) chain.ledger->congest(kParent, 6);
        chain.produce();
    }
    chain.produce(60);
    expect_sound();
    std::set<std::uint64_t> shards;
    for (const Json& truth : chain.ledger->truth(1'000, chain.ledger->tip())) {
        for (const Json& node : truth.at("tree")) {
            const Height executed = node.at("executed_height");
            const std::string receiver = node.at("receiver_id");
            const bool is_below = receiver < "bob.sandbox", is_there = receiver < "carol.sandbox";
            if (!is_there) continue;
            EXPECT_EQ(node.at("shard_id"), executed < kEdge ? kParent : is_below ? kLeft : kRight) << node;
            if (node.at("created_height") < kEdge) shards.insert(node.at("shard_id").get<std::uint64_t>());
        }
    }
    EXPECT_EQ(shards, (std::set<std::uint64_t>{kParent, kLeft, kRight})) << "none crossed the edge";
}

TEST_F(Split, LeavesATransactionThatWaitsToItsSignersChild) {
    produce_to(kEdge - 2);
    const std::string alice = chain.send(chain.transfer("alice.sandbox", "bob.sandbox", kToken));
    const std::string bob = chain.send(chain.transfer("bob.sandbox", "alice.sandbox", kToken));
    for (const auto& hash : {alice, bob}) chain.ledger->delay(hash, 3);
    produce_to(kEdge + 8);
    for (const auto& hash : {alice, bob}) {
        EXPECT_GE(chain.truth(hash).at("heights").at("included"), kEdge);
        EXPECT_EQ(chain.truth(hash).at("stage"), "final");
    }
    expect_sound();
}

TEST_F(Split, LeavesTheStateOfTheParentToBeRead) {
    chain.run(chain.transfer("alice.sandbox", "bob.sandbox", 5 * kToken));
    const auto before = chain.ledger->view_account("bob.sandbox", 1'000);
    const auto after = chain.ledger->view_account("bob.sandbox", 1'010);
    ASSERT_NE(before, after);
    const Json changes = chain.ledger->changes_in_block(1'001);
    ASSERT_FALSE(changes.empty());
    produce_to(kEdge + 3);
    EXPECT_EQ(chain.ledger->view_account("bob.sandbox", 1'000), before);
    EXPECT_EQ(chain.ledger->view_account("bob.sandbox", kEdge + 3), after);
    EXPECT_EQ(chain.ledger->changes_in_block(1'001), changes);
}

// The root of the outcomes of each shard, before and after, is in the next new chunk of it, or of each child.
void expect_proven(const TestChain& chain) {
    const Blocks blocks(chain);
    std::size_t proven = 0, of_parent = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const auto& header = blocks[i].block.header;
        EXPECT_EQ(header.hash_is, chain::HeaderHash::equal) << header.height;
        EXPECT_TRUE(i == 0 || chain::covers_chunks(blocks[i].block)) << header.height;
        for (const auto& shard : blocks[i].shards) {
            if (!shard.chunk_header) continue;
            const auto roots = blocks.roots_above(i, shard.shard_id);
            if (roots.empty()) continue;
            EXPECT_EQ(roots, std::set{chain::outcomes_root(shard)->to_string()})
                << header.height << ", shard " << shard.shard_id;
            ++proven;
            if (shard.shard_id == kParent) ++of_parent;
        }
    }
    EXPECT_GT(proven, 100U);
    EXPECT_GT(of_parent, 20U);
}

TEST_F(Split, KeepsAllOutcomesProven) {
    RandomTraffic traffic(chain, 6);
    while (chain.ledger->tip() < kEdge + 10) {
        for (int i = 0; i < 5; ++i) chain.send(traffic.next());
        chain.produce();
    }
    chain.produce(40);
    expect_sound();
    expect_proven(chain);
    const Json chunks = chain.block(kEdge).at("chunks");
    for (const char* same : {"outcome_root", "gas_used", "balance_burnt"})
        EXPECT_EQ(chunks[0][same], chunks[1][same]);
    EXPECT_NE(chunks[0]["prev_state_root"], chunks[1]["prev_state_root"]);
}

TEST_F(Split, OfAShardWithoutChunksShowsItsLastOneInTheChildrensPlaces) {
    RandomTraffic traffic(chain, 7);
    while (chain.ledger->tip() < kEdge - 2) {
        for (int i = 0; i < 5; ++i) chain.send(traffic.next());
        chain.produce();
    }
    chain.ledger->withhold_chunk(kParent, 3);
    produce_to(kEdge + 60);
    EXPECT_EQ(shard_ids_at(kEdge), Json({kParent, kParent, 9, 6}));
    EXPECT_EQ(shard_ids_at(kEdge + 1), Json({kParent, kParent, 9, 6}));
    EXPECT_EQ(shard_ids_at(kEdge + 2), Json({kLeft, kRight, 9, 6}));
    const Json header = chain.block(kEdge).at("header");
    EXPECT_EQ(header.at("chunk_mask"), Json({false, false, true, true}));
    expect_sound();
    expect_proven(chain);
}

TEST(SplitsOfAChain, HoldWithMissingChunksAndSkippedHeights) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        LedgerOptions options = split_options();
        options.seed = seed;
        options.missing_chunk_probability = 0.3;
        options.skipped_height_probability = 0.1;
        options.splits = {{1, "alice.sandbox"}, {2, "bob.sandbox"}, {4, "dora"}};
        TestChain chain(std::move(options));
        RandomTraffic traffic(chain, seed);
        while (chain.ledger->tip() < 1'090) {
            for (int i = 0; i < 10; ++i) chain.ledger->submit(traffic.next());
            chain.produce();
        }
        chain.produce(80);
        const CheckReport report = chain.ledger->check();
        EXPECT_TRUE(report.ok()) << report.to_json().dump(1);
        EXPECT_EQ(report.executed, report.receipts);
        EXPECT_EQ(chain.ledger->layout().size(), 6U);
    }
}

TEST_F(Split, OnAForkThatLosesIsTakenBackAndComesAgain) {
    produce_to(kEdge - 1);
    const std::string alice = chain.send(chain.transfer("alice.sandbox", "bob.sandbox", kToken));
    const std::string bob = chain.send(chain.transfer("bob.sandbox", "alice.sandbox", kToken));
    chain.ledger->delay(bob, 2);
    chain.ledger->fork(2);
    chain.produce(2);
    EXPECT_EQ(chain.ledger->layout().size(), 4U);
    chain.produce();
    EXPECT_EQ(chain.ledger->layout().size(), 4U);
    chain.produce(20);
    EXPECT_EQ(shard_ids_at(kEdge + 2), Json({kLeft, kRight, 9, 6}));
    for (const auto& hash : {alice, bob}) EXPECT_EQ(chain.truth(hash).at("stage"), "final");
    expect_sound();
}

TEST_F(Split, IsForgottenWithTheOldBlocks) {
    LedgerOptions options = split_options();
    options.validity_blocks = 20;
    options.history_blocks = 128;
    TestChain forgetful(std::move(options));
    forgetful.produce(400);
    EXPECT_GT(forgetful.ledger->oldest(), kEdge);
    EXPECT_TRUE(forgetful.ledger->check().ok());
}

TEST_F(Split, OfAContractOnItsWayGoesOnWithBothChildren) {
    produce_to(kEdge - 3);
    const std::string code = "a global contract";
    const std::string hash =
        chain.send(chain.make("script.sandbox", "script.sandbox",
                              {{wire::DeployGlobalContract{chain::Bytes(code.begin(), code.end())}}}));
    produce_to(kEdge + 12);
    EXPECT_EQ(chain.truth(hash).at("stage"), "final");
    std::set<std::uint64_t> served;
    for (Height height = kEdge - 3; height <= kEdge + 12; ++height) {
        const Json block = chain.whole(height);
        for (const Json& shard : block.at("shards")) {
            for (const Json& receipt : shard.at("chunk").at("receipts")) {
                const Json& body = receipt.at("receipt");
                if (body.contains("GlobalContractDistribution"))
                    served.insert(body["GlobalContractDistribution"]["target_shard"].get<std::uint64_t>());
            }
        }
    }
    EXPECT_EQ(served, (std::set<std::uint64_t>{kParent, kRight, 9, 6}));
    expect_sound();
}

TEST(SplitOptions, ThatMakeNoChainAreRefused) {
    for (const auto& [epoch, account] :
         std::map<std::uint64_t, std::string>{{0, "bob.sandbox"}, {1, "no account"}, {2, "carol.sandbox"}}) {
        LedgerOptions options = test_options();
        options.splits = {{epoch, account}};
        EXPECT_THROW(TestChain{std::move(options)}, std::invalid_argument) << account;
    }
}

}  // namespace
}  // namespace receiptd::sandbox
