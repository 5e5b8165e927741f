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

std::string receipt_that_awaits(int inputs, const std::string& first = kR2) {
    std::string awaited = "\"" + first + "\"";
    for (int i = 1; i < inputs; ++i) awaited += ",\"" + kR3 + "\"";
    auto body = receipt(kR1);
    const std::string none = R"("input_data_ids":[])";
    body.replace(body.find(none), none.size(), R"("input_data_ids":[)" + awaited + "]");
    return body;
}

// A tree whose one receipt awaits so many others that no protocol of today allows it.
std::string large_tree(int inputs, const std::string& first = kR2) {
    return status({outcome(kR1, {})}, {kR1}, Texts{receipt_that_awaits(inputs, first)});
}

std::string protocol_config(int most_inputs) {
    return R"({"runtime_config":{"wasm_config":{"limit_config":{"max_total_prepaid_gas":1000000000000000,)"
           R"("max_number_input_data_dependencies":)" +
           std::to_string(most_inputs) +
           R"(}},"transaction_costs":{"action_receipt_creation_config":{"execution":108059500000}}}})";
}

class LargeTrees : public GreedyHosts {
protected:
    TreeSource::TreeResult told() {
        RpcTreeSource source(world.io.get_executor(), world.pool, world.router(),
                             std::make_shared<BlockCache>());
        return world.run(source.tree({kTreeTx, "a.near", Priority::head, {}, {}}));
    }
    static FakeHost::Script tells(std::string tree, int most_inputs = 128) {
        return [tree = std::move(tree), most_inputs](const net::HttpRequest& request) {
            const bool config = request.body.find("protocol_config") != std::string::npos;
            return result(config ? protocol_config(most_inputs) : tree);
        };
    }
};

TEST_F(LargeTrees, ByTheWordOfOneHostAreLeftForAnotherOne) {
    greedy.script = tells(large_tree(1'281));
    other.script = [](const auto&) { return small_tree(); };
    EXPECT_EQ(host_of_tree(), "other");
    EXPECT_LT(world.router()->hosts()[0]->health().score, 1.0);
}

// No receipt awaits more than one may, but no gas pays for all of them together.
TEST_F(LargeTrees, ByTheSumOfTheirInputsAreLeftForAnotherOne) {
    Texts bodies(160, receipt_that_awaits(1'280));
    greedy.script = tells(status({outcome(kR1, {})}, {kR1}, bodies));
    other.script = [](const auto&) { return small_tree(); };
    EXPECT_EQ(host_of_tree(), "other");
}

TEST_F(LargeTrees, ByTheSumOfTheirChildrenAreLeftForAnotherOne) {
    const Texts many(50'001, kR2);
    greedy.script = tells(status({outcome(kR1, many), outcome(kR2, many)}, {kR1}, Texts{receipt(kR1)}));
    other.script = [](const auto&) { return small_tree(); };
    EXPECT_EQ(host_of_tree(), "other");
}

TEST_F(LargeTrees, ThatTwoHostsTellAlikeAreTaken) {
    greedy.script = other.script = tells(large_tree(1'281));
    const auto result = told();
    ASSERT_TRUE(std::holds_alternative<TreeSource::Tree>(result));
    EXPECT_EQ(std::get<TreeSource::Tree>(result).status.value.receipts->at(0).input_data_ids.size(), 1'281u);
}

TEST_F(LargeTrees, ThatTwoHostsTellOtherwiseAreNot) {
    greedy.script = tells(large_tree(1'281));
    other.script = tells(large_tree(1'281, kR1));
    const auto result = told();
    ASSERT_TRUE(std::holds_alternative<Unavailable>(result));
    EXPECT_NE(std::get<Unavailable>(result).detail.find("tells 1281 inputs of a receipt"), std::string::npos)
        << std::get<Unavailable>(result).detail;
}

TEST_F(LargeTrees, OfANewerProtocolAreTakenByItsOwnLimits) {
    greedy.script = tells(large_tree(1'281), 256);
    other.script = tells(large_tree(1'281, kR1), 256);
    EXPECT_TRUE(std::holds_alternative<TreeSource::Tree>(told()));
}

TEST(OneHostAlone, IsBelievedWhateverTheSizeOfATree) {
    World world;
    world.host("only", HostKind::regular).script = [](const auto&) { return result(large_tree(1'281)); };
    RpcTreeSource source(world.io.get_executor(), world.pool, world.router(), std::make_shared<BlockCache>());
    const auto told = world.run(source.tree({kTreeTx, "a.near", Priority::head, {}, {}}));
    EXPECT_TRUE(std::holds_alternative<TreeSource::Tree>(told));
}

}  // namespace
}  // namespace receiptd::rpc
