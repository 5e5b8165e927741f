// Global contracts on their way, beside those of a real node (tests/data/recorded/nearcore-84/README.md).
#include "test_chain.hpp"

#include "chain/wire/borsh.hpp"
#include "sandbox/ledger/chain_hashes.hpp"
#include "support/recordings.hpp"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>

namespace receiptd::sandbox {
namespace {

constexpr const char* kDistribution = "GlobalContractDistribution";

struct GlobalContractsOnTheirWay : testing::Test {
    GlobalContractsOnTheirWay() : chain(options()) {}

    static LedgerOptions options() {
        LedgerOptions options = test_options();
        options.shards = 4;
        return options;
    }

    void deploy(wire::GlobalContractDeployMode mode = wire::GlobalContractDeployMode::account_id) {
        chain.send(chain.make("alice.sandbox", "alice.sandbox",
                              {{wire::DeployGlobalContract{{'c', 'o', 'd', 'e'}, mode}}}));
        chain.produce();
    }

    // The shards of the block that list one, with the receipt.
    std::vector<std::pair<std::uint64_t, sim::Json>> listed() {
        std::vector<std::pair<std::uint64_t, sim::Json>> found;
        const sim::Json block = chain.whole(chain.ledger->tip());
        for (const sim::Json& shard : block.at("shards")) {
            if (shard.at("chunk").is_null()) continue;
            for (const sim::Json& receipt : shard.at("chunk").at("receipts"))
                if (receipt.at("receipt").contains(kDistribution))
                    found.emplace_back(shard.at("shard_id"), receipt);
        }
        return found;
    }
    // One in each of the next blocks.
    std::vector<std::pair<std::uint64_t, sim::Json>> follow(std::size_t blocks) {
        std::vector<std::pair<std::uint64_t, sim::Json>> way;
        for (std::size_t i = 0; i < blocks; ++i) {
            chain.produce();
            for (auto& hop : listed()) way.push_back(std::move(hop));
        }
        return way;
    }

    TestChain chain;
};

// The places of these shards in a layout.
sim::Json places(const sim::Json& shard_ids, const std::vector<std::uint64_t>& layout) {
    std::set<std::size_t> places;
    for (const std::uint64_t id : shard_ids)
        places.insert(static_cast<std::size_t>(std::find(layout.begin(), layout.end(), id) - layout.begin()));
    return places;
}

std::set<std::string> members(const sim::Json& json) {
    std::set<std::string> names;
    for (const auto& [name, value] : json.items()) names.insert(name);
    return names;
}

TEST_F(GlobalContractsOnTheirWay, GoAsOnARealNode) {
    const sim::Json recorded = sim::Json::parse(
        test::read_file(test::kRecorded / "nearcore-84" / "global_contract_distribution.json"));
    const std::vector<std::uint64_t> layout = recorded.at("shard_ids");
    deploy(wire::GlobalContractDeployMode::code_hash);
    const auto way = follow(6);
    ASSERT_EQ(way.size(), recorded.at("receipts").size());
    const sim::Json own = chain.shard_id_of("alice.sandbox");
    EXPECT_EQ(way.front().first, own);
    EXPECT_EQ(way.front().second.at("receipt").at(kDistribution).at("target_shard"), own);
    std::vector<std::uint64_t> delivered;
    for (std::size_t i = 0; i < way.size(); ++i) {
        const sim::Json& real = recorded.at("receipts").at(i);
        const sim::Json& told = way[i].second;
        const sim::Json& body = told.at("receipt").at(kDistribution);
        const sim::Json& real_body = real.at("receipt").at(kDistribution);
        EXPECT_EQ(members(told), members(real));
        EXPECT_EQ(told.at("receiver_id"), real.at("receiver_id"));
        EXPECT_EQ(told.at("predecessor_id"), "alice.sandbox");
        auto expected = members(real_body);
        expected.insert("nonce");  // that node is older
        EXPECT_EQ(members(body), expected);
        EXPECT_EQ(body.at("already_delivered_shards"), sim::Json(delivered));
        EXPECT_EQ(real_body.at("already_delivered_shards").size(), delivered.size());
        // Each is listed by the shard that got the one before, the first by the shard of the deployment.
        const sim::Json lister = i == 0 ? own : way[i - 1].second["receipt"][kDistribution]["target_shard"];
        EXPECT_EQ(way[i].first, lister);
        delivered.push_back(body.at("target_shard"));
        std::sort(delivered.begin(), delivered.end());
    }
    EXPECT_EQ(places(delivered, chain.ledger->layout().shard_ids()), places(layout, layout)) << "all shards";
}

TEST_F(GlobalContractsOnTheirWay, WaitForAShardThatHasNoChunk) {
    deploy();
    const auto first = follow(2);
    ASSERT_EQ(first.size(), 2U);
    const std::uint64_t next = first.back().second.at("receipt").at(kDistribution).at("target_shard");
    chain.ledger->withhold_chunk(next, 3);
    EXPECT_EQ(follow(3).size(), 0U) << "its chunk is the one that would list the next receipt";
    EXPECT_EQ(follow(6).size(), 2U);
}

TEST_F(GlobalContractsOnTheirWay, AreToldByTheirIds) {
    deploy();
    const auto way = follow(1);
    ASSERT_EQ(way.size(), 1U);
    const std::string id = way.front().second.at("receipt_id");
    ASSERT_TRUE(chain.ledger->receipt(id));
    EXPECT_EQ(sim::Json::parse(chain.ledger->receipt(id)->json), way.front().second);
    EXPECT_FALSE(chain.ledger->transaction_of_receipt(id));
}

TEST_F(GlobalContractsOnTheirWay, LeaveTheChainInOrder) {
    deploy();
    deploy(wire::GlobalContractDeployMode::code_hash);
    chain.produce(12);
    EXPECT_THAT(chain.ledger->check().problems, testing::IsEmpty());
}

TEST_F(GlobalContractsOnTheirWay, GoAgainWhereAForkLost) {
    chain.ledger->fork(1);
    deploy();
    chain.produce();
    const auto way = follow(6);
    EXPECT_EQ(way.size(), 4U);
    EXPECT_EQ(way.front().second.at("receipt").at(kDistribution).at("nonce"), 1);
}

// encoding.md: GlobalContractDistribution is the fifth variant; its code is there in full.
TEST(GlobalContractBorsh, HasTheCodeAndTheNonce) {
    sim::Receipt receipt;
    receipt.predecessor_id = "a";
    receipt.receiver_id = "b";
    sim::GlobalContractReceipt body;
    body.contract = std::string("c");
    body.target_shard = 7;
    body.already_delivered_shards = {5};
    body.code = {9, 9};
    body.nonce = 3;
    receipt.body = body;
    const std::size_t before = 5 + 5 + 32;
    chain::Writer expected;
    for (const std::uint8_t tag : {std::uint8_t{4}, std::uint8_t{1}, std::uint8_t{1}}) expected.u8(tag);
    expected.string("c");
    expected.u64(7);
    expected.count(1);
    expected.u64(5);
    expected.bytes(body.code);
    expected.u64(3);
    const chain::Bytes bytes = receipt_borsh(receipt);
    EXPECT_EQ(chain::Bytes(bytes.begin() + before, bytes.end()), expected.take());
}

}  // namespace
}  // namespace receiptd::sandbox
