// Blocks before they are final: each is told once, and its contents are kept for the final block.
#include "rpc/early_blocks.hpp"
#include "rpc/indexer_service.hpp"
#include "rpc/kept_early.hpp"
#include "unit/rpc/world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace receiptd::rpc {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using Json = nlohmann::json;

const std::vector<std::string> kHashes{
    "4XXtr7JrRNaquPXe7RZ1PSgJ645dgSpsRyE6gmvhvQV4", "A2dCfgBTjreZBEXt3JsWXda11FB7vRgtQAHzuV5DzpW2",
    "6gk5rCA4mjkBS2i9xthxona8Q3akpjvFhaTdACgVw7yC", "HjAMoRyRgvWo9BcDB8WBD9mL3Uk9EnK8gFqAw5CxP846",
    "4iZGbFAcBFjqnsL4Eq2jAvWfYA5HFJVVYaqMSZ4e3RDa"};
const std::string kTransaction = "8FhRv8RK2vzXBvdZBnQ7QVfQK9RbqJcGnJY8DGmu5vFp";

// A chain whose final head is block 100, and that goes on above it.
class Growing {
public:
    int tip = 100;
    std::map<int, int> hash_of_height{{100, 0}, {101, 1}, {102, 2}, {103, 3}};  // places in kHashes

    Transport::Reply operator()(const net::HttpRequest& request) {
        if (request.method == "GET") return whole(request.target);
        const auto asked = Json::parse(request.body);
        const auto& params = asked["params"];
        if (asked["method"] == "chunk") return result(chunk(params["chunk_id"]).dump());
        if (asked["method"] == kIndexerBlock)
            return result(whole_block(height_of(params["block_hash"])).dump());
        if (params.contains("finality"))
            return result(block(params["finality"] == "final" ? std::min(tip, 100) : tip).dump());
        const auto& id = params["block_id"];
        const int height = id.is_number() ? id.get<int>() : height_of(id);
        return height > tip ? error("UNKNOWN_BLOCK", 422) : result(block(height).dump());
    }

private:
    std::string hash(int height) const {
        const auto place = static_cast<std::size_t>(hash_of_height.at(height));
        if (place < kHashes.size()) return kHashes[place];
        return std::string(30, '1') + "2" + static_cast<char>('A' + place % 8) +
               static_cast<char>('1' + place / 8);
    }
    int height_of(const std::string& wanted) const {
        for (const auto& [height, place] : hash_of_height)
            if (hash(height) == wanted) return height;
        return tip + 1;
    }
    // A chunk is named as the block that includes it.
    Json block(int height) const {
        Json made = Json::parse(block_json(height, chunk_header(hash(height), height, 0), hash(height)));
        if (hash_of_height.contains(height - 1)) made["header"]["prev_hash"] = hash(height - 1);
        return made;
    }
    Json chunk(const std::string& name) const {
        Json made = Json::parse(chunk_json(name, height_of(name), 0));
        made["transactions"] = {{{"signer_id", "alice.near"},
                                 {"public_key", "ed25519:11111111111111111111111111111111"},
                                 {"nonce", 1},
                                 {"receiver_id", "bob.near"},
                                 {"actions", Json::array()},
                                 {"signature", "ed25519:1"},
                                 {"hash", kTransaction}}};
        return made;
    }
    Json whole_block(int height) const {
        const Json shard = {{"shard_id", 0},
                            {"chunk", Json::parse(chunk_json(hash(height), height, 0))},
                            {"receipt_execution_outcomes", Json::array()},
                            {"state_changes", Json::array()}};
        return {{"block", block(height)}, {"shards", {shard}}, {"tracked_shards", {0}}};
    }
    Transport::Reply whole(const std::string& target) const {
        const auto height = std::stoi(target.substr(target.rfind('/') + 1));
        if (height > tip) return http(404, R"({"error":"e","type":"BLOCK_DOES_NOT_EXIST"})");
        return http(200, hash_of_height.contains(height) ? whole_block(height).dump() : "null");
    }
};

class Early : public ::testing::Test {
protected:
    Early() {
        host.script = [this](const net::HttpRequest& request) { return chain(request); };
        blocks = std::make_shared<RpcBlockSource>(world.io.get_executor(), world.pool, world.router(),
                                                  std::make_shared<BlockCache>());
        early = std::make_unique<RpcEarlyBlocks>(
            world.pool, world.router(), [this](auto block) { return blocks->early(std::move(block)); });
        EXPECT_TRUE(world.run(blocks->head()).has_value());
    }
    // Heights that are told.
    std::vector<chain::BlockHeight> next() {
        const auto told = world.run(early->next());
        std::vector<chain::BlockHeight> heights;
        if (!told) return heights;
        for (const auto& block : *told) {
            heights.push_back(block.block.height);
            transactions.insert(block.tx_hashes.begin(), block.tx_hashes.end());
        }
        return heights;
    }

    World world;
    FakeHost& host = world.host("main", HostKind::regular);
    Growing chain;
    std::shared_ptr<RpcBlockSource> blocks;
    std::unique_ptr<EarlyBlocks> early;
    std::set<std::string> transactions;
};

TEST_F(Early, AreToldOnceWithTheirTransactions) {
    EXPECT_THAT(next(), ElementsAre());
    chain.tip = 101;
    EXPECT_THAT(next(), ElementsAre(101));
    EXPECT_THAT(transactions, ElementsAre(kTransaction));
    EXPECT_THAT(next(), ElementsAre());
}

TEST_F(Early, ThatCameBetweenTwoQuestionsAreAskedForByTheirHashes) {
    chain.tip = 103;
    EXPECT_THAT(next(), ElementsAre(103, 102, 101));
}

TEST_F(Early, OfAForkAreToldBesideThoseThatItTakesBack) {
    chain.tip = 101;
    EXPECT_THAT(next(), ElementsAre(101));
    chain.hash_of_height[101] = 4;
    EXPECT_THAT(next(), ElementsAre(101));
}

TEST_F(Early, AreKeptForTheFinalBlock) {
    chain.tip = 101;
    EXPECT_THAT(next(), ElementsAre(101));
    const auto before = host.seen.size();
    world.router()->hosts()[0]->saw_block(101);  // a host tells it as final
    const auto result = world.run(blocks->fetch(101, Priority::head, true));
    EXPECT_NE(contents_of(result), nullptr);
    EXPECT_EQ(host.seen.size(), before + 1) << "the block, and no chunk";
}

TEST_F(Early, MakeNoHeightFinal) {
    chain.tip = 103;
    next();
    EXPECT_EQ(world.router()->known_head(), 100u);
    EXPECT_TRUE(std::holds_alternative<NotYet>(world.run(blocks->fetch(102, Priority::head, true))));
}

TEST_F(Early, ThatAHostInventsAreNotAskedForForEver) {
    chain.tip = 101;
    unsigned told = 0;
    for (int fork = 0; fork < 40; ++fork) {
        chain.hash_of_height[101] = 4 + fork;
        told += static_cast<unsigned>(next().size());
    }
    EXPECT_EQ(told, 16u) << "of one height";
    chain.hash_of_height[10'000] = 3;
    chain.tip = 10'000;
    EXPECT_THAT(next(), ElementsAre()) << "far above the final head";
}

TEST_F(Early, OfAHostThatNamesAnotherHashAreNotTold) {
    chain.tip = 102;
    host.script = [this](const net::HttpRequest& request) {
        if (request.body.find(kHashes[1]) == std::string::npos) return chain(request);
        auto of_another = request;
        of_another.body = R"({"method":"block","params":{"block_id":100}})";
        return chain(of_another);
    };
    EXPECT_THAT(next(), ElementsAre(102));
}

TEST_F(Early, ThatCannotBeHadAreToldAgainLater) {
    chain.tip = 101;
    host.script = [](const net::HttpRequest&) { return http(500, ""); };
    EXPECT_FALSE(world.run(early->next()));
    host.script = [this](const net::HttpRequest& request) { return chain(request); };
    EXPECT_THAT(next(), ElementsAre(101));
}

TEST_F(Early, OfANodeThatMakesWholeBlocksCostOneQuestionMoreAHeight) {
    auto service = std::make_unique<IndexerService>(world.pool, world.router(), blocks);
    early = std::make_unique<RpcEarlyBlocks>(world.pool, world.router(),
                                             [&](auto block) { return service->early(std::move(block)); });
    chain.tip = 101;
    EXPECT_THAT(next(), ElementsAre(101));
    world.router()->hosts()[0]->saw_block(101);
    const auto before = host.seen.size();
    const auto result = world.run(service->fetch(101, Priority::head, true));
    ASSERT_NE(contents_of(result), nullptr);
    EXPECT_TRUE(contents_of(result)->tells_outcomes());
    EXPECT_EQ(host.seen.size(), before + 1) << "its contents are there";
}

TEST_F(Early, OfNeardataComeHeightByHeight) {
    early = std::make_unique<NeardataEarlyBlocks>(world.pool, world.router());
    EXPECT_TRUE(early->waits());
    chain.tip = 103;
    chain.hash_of_height.erase(102);
    EXPECT_THAT(next(), ElementsAre(101));
    EXPECT_THAT(next(), ElementsAre()) << "102 is skipped";
    EXPECT_THAT(next(), ElementsAre(103));
    EXPECT_THAT(next(), ElementsAre()) << "it is not there yet";
    EXPECT_EQ(host.seen.back().target, "/v0/block_opt/104");
    EXPECT_EQ(world.router()->known_head(), 100u);
}

TEST_F(Early, OfNeardataGoNoFurtherThanTheBlocksOfARunningChain) {
    early = std::make_unique<NeardataEarlyBlocks>(world.pool, world.router());
    chain.tip = 10'000;
    for (int height = 101; height < 140; ++height) chain.hash_of_height[height] = height - 96;
    chain::BlockHeight highest = 0;
    for (int asked = 0; asked < 100; ++asked)
        for (const auto height : next()) highest = std::max(highest, height);
    EXPECT_EQ(highest, 132u);
}

TEST(KeptEarly, WhatABlockFetchedBesideWantsStaysAndWhatIsOfAForkGoes) {
    KeptEarly<int> kept;
    for (const chain::BlockHeight height : {10, 11, 12}) kept.put(height, 1, 1);
    kept.drop(12);
    EXPECT_TRUE(kept.find(11));
    kept.drop(11);
    EXPECT_FALSE(kept.find(11));
    kept.drop(18);
    EXPECT_TRUE(kept.find(10));
    kept.drop(19);
    EXPECT_FALSE(kept.find(10));
}

}  // namespace
}  // namespace receiptd::rpc
