// The execution model of the specification (gateway.md §1), on chains that do a bit of everything.
#include "random_traffic.hpp"

#include <limits>
#include <set>

namespace receiptd::sandbox {
namespace {

using sim::Json;

struct Model : testing::Test {
    TestChain chain;

    std::vector<std::string> live(std::size_t blocks, std::uint64_t seed) {
        RandomTraffic traffic(chain, seed);
        std::vector<std::string> sent;
        for (std::size_t block = 0; block < blocks; ++block) {
            for (int each = 0; each < 4; ++each) sent.push_back(chain.send(traffic.next()));
            chain.produce();
        }
        chain.produce(30);
        return sent;
    }
    Json receipt(const std::string& hash, std::size_t at) const {
        return chain.truth(hash).at("tree").at(at);
    }
};

TEST_F(Model, EveryReceiptHasAnIdOfItsOwn) {
    live(40, 21);
    std::set<std::string> ids;
    std::size_t receipts = 0;
    for (Height height = 1'001; height <= chain.ledger->tip(); ++height) {
        const Json block = chain.whole(height);
        for (const Json& shard : block.at("shards")) {
            for (const char* list : {"receipts", "local_receipts", "instant_receipts"}) {
                if (!shard.at("chunk").contains(list)) continue;
                for (const Json& receipt : shard.at("chunk").at(list)) {
                    ids.insert(receipt.at("receipt_id"));
                    ++receipts;
                }
            }
        }
    }
    EXPECT_GT(receipts, 300U);
    EXPECT_EQ(ids.size(), receipts);
}

TEST_F(Model, WhatAReceiptMakesRunsAfterIt) {
    std::size_t pairs = 0;
    for (const std::string& hash : live(40, 22)) {
        std::map<std::string, Height> executed;
        const Json truth = chain.truth(hash);
        for (const Json& node : truth.at("tree")) {
            executed[node.at("receipt_id")] = node.at("executed_height");
            if (node.at("parent").is_null()) continue;
            EXPECT_GT(node.at("executed_height"), executed.at(node.at("parent")));
            ++pairs;
        }
    }
    EXPECT_GT(pairs, 100U);
}

TEST_F(Model, OfTwoReceiptsOnDifferentShardsTheLaterOneMayRunFirst) {
    ASSERT_NE(chain.shard_id_of("alice.sandbox"), chain.shard_id_of("script.sandbox"));
    for (int i = 0; i < 2; ++i) chain.send(chain.call("bob.sandbox", "script.sandbox", "burn", "90"));
    const std::string early = chain.send(chain.call("bob.sandbox", "script.sandbox", "keep"));
    chain.ledger->congest(chain.shard_id_of("script.sandbox"), 6);
    chain.produce();
    const std::string late = chain.run(chain.transfer("bob.sandbox", "alice.sandbox", 1), 12);
    EXPECT_GT(receipt(early, 0).at("executed_height"), receipt(late, 0).at("executed_height"));
    EXPECT_LT(receipt(early, 0).at("created_height"), receipt(late, 0).at("created_height"));
}

TEST_F(Model, WhatAContractLogsStandsInTheOutcomeOfItsReceipt) {
    const std::string hash = chain.run(chain.call("alice.sandbox", "script.sandbox", "log", "a line"));
    const Json outcomes = chain.tx(hash).at("receipts_outcome");
    EXPECT_EQ(outcomes.at(0).at("outcome").at("logs"), Json({"a line"}));
    EXPECT_EQ(outcomes.at(1).at("outcome").at("logs"), Json::array());
}

TEST(Numbers, OfTheWholeRangeOf64BitsAreToldExactly) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    LedgerOptions options = test_options();
    options.genesis_height = kMost - 1'000;
    options.gas_limit = kMost;
    options.validity_blocks = 100;
    TestChain chain(std::move(options));
    const std::string hash = chain.run(chain.transfer("alice.sandbox", "bob.sandbox", 1, kMost - 1), 3);
    const Json block = chain.block(kMost - 997);
    EXPECT_EQ(block.at("header").at("height").get<std::uint64_t>(), kMost - 997);
    EXPECT_EQ(block.at("chunks").at(0).at("gas_limit").get<std::uint64_t>(), kMost);
    EXPECT_NE(chain.ledger->block(kMost - 997)->find("\"height\":18446744073709550618"), std::string::npos);
    EXPECT_EQ(chain.tx(hash).at("transaction").at("nonce").get<std::uint64_t>(), kMost - 1);
}

}  // namespace
}  // namespace receiptd::sandbox
