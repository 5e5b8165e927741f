// Hosts whose answers would make us ask without end.
#include "chain/wire/hash.hpp"
#include "rpc/tree_source.hpp"
#include "unit/rpc/status_json.hpp"
#include "unit/rpc/world.hpp"

#include <gtest/gtest.h>

namespace receiptd::rpc {
namespace {

using namespace testing;

class GreedyHosts : public ::testing::Test {
protected:
    std::string host_of_tree() {
        RpcTreeSource source(world.io.get_executor(), world.pool, world.router(),
                             std::make_shared<BlockCache>());
        const auto told = world.run(source.tree({kTreeTx, "a.near", Priority::head, {}, {}}));
        return std::get<TreeSource::Tree>(told).host;
    }
    static std::string hash_of(int number) {
        return chain::sha256(chain::bytes_of(std::to_string(number))).to_string();
    }
    static Transport::Reply small_tree() {
        return result(status({outcome(kR1, {})}, {kR1}, Texts{receipt(kR1)}));
    }
    World world;
    FakeHost& greedy = world.host("greedy", HostKind::regular);
    FakeHost& other = world.host("other", HostKind::archival);
};

TEST_F(GreedyHosts, WithOutcomesButWithoutReceiptsAreLeftForAnotherOne) {
    Texts spawned;
    Texts without_body;
    for (int i = 0; i < 4'001; ++i) {
        spawned.push_back(hash_of(i));
        without_body.push_back(outcome(spawned.back(), {}));
    }
    greedy.script = [&](const auto&) { return result(status(without_body, spawned, Texts())); };
    other.script = [](const auto&) { return small_tree(); };
    EXPECT_EQ(host_of_tree(), "other");
    EXPECT_EQ(greedy.asked("EXPERIMENTAL_receipt"), 0u);
    EXPECT_LT(world.router()->hosts()[0]->health().score, 1.0);
}

TEST_F(GreedyHosts, WithOutcomesInAThousandBlocksAreLeftForAnotherOne) {
    Texts spawned;
    Texts outcomes;
    Texts bodies;
    for (int i = 0; i < 1'001; ++i) {
        spawned.push_back(hash_of(i));
        auto one = outcome(spawned.back(), {});
        one.replace(one.find(kBlock), kBlock.size(), hash_of(i + 10'000));
        outcomes.push_back(std::move(one));
        bodies.push_back(receipt(spawned.back()));
    }
    greedy.script = [&](const auto&) { return result(status(outcomes, spawned, bodies)); };
    other.script = [](const auto&) { return small_tree(); };
    EXPECT_EQ(host_of_tree(), "other");
}

}  // namespace
}  // namespace receiptd::rpc
