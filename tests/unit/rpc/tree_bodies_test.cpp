// The receipts of a tree that the answer about its transaction leaves out.
#include "chain/wire/hash.hpp"
#include "rpc/tree_source.hpp"
#include "unit/rpc/status_json.hpp"
#include "unit/rpc/world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace receiptd::rpc {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class TreeBodies : public ::testing::Test {
protected:
    TreeSource::TreeResult tree() {
        if (!source_)
            source_ = std::make_unique<RpcTreeSource>(world.io.get_executor(), world.pool, world.router(),
                                                      std::make_shared<BlockCache>());
        return world.run(source_->tree({kTreeTx, "a.near", Priority::head, {}, {}}));
    }
    static bool asks(const net::HttpRequest& request, const std::string& text) {
        return request.body.find(text) != std::string::npos;
    }
    World world;

private:
    std::unique_ptr<RpcTreeSource> source_;
};

TEST_F(TreeBodies, FallsBackToTxAndAsksForTheBodies) {
    auto& host = world.host("main", HostKind::regular);
    host.script = [](const net::HttpRequest& request) {
        if (asks(request, "tx_status")) return error("METHOD_NOT_FOUND", 400, "REQUEST_VALIDATION_ERROR");
        if (asks(request, "\"method\":\"block\"")) return error("UNKNOWN_BLOCK");
        if (asks(request, "EXPERIMENTAL_receipt"))
            return asks(request, kR1) ? result(receipt(kR1)) : error("UNKNOWN_RECEIPT");
        return result(status({outcome(kR1, {kR2}), outcome(kR2, {})}));
    };
    const auto result = tree();
    const auto& got = std::get<TreeSource::Tree>(result);
    EXPECT_TRUE(got.complete);
    ASSERT_EQ(got.extra_receipts.size(), 1u);
    EXPECT_EQ(got.extra_receipts[0].receipt.receipt_id, kR1);
    EXPECT_THAT(got.missing_receipts, ElementsAre(kR2));
    tree();
    EXPECT_EQ(host.asked("\"tx_status"), 1u) << "the missing method is remembered";
    EXPECT_EQ(host.asked("EXPERIMENTAL_tx_status"), 1u) << "so is the one before it";
}

TEST_F(TreeBodies, TheNewestMethodIsAskedFirst) {
    auto& host = world.host("main", HostKind::regular);
    host.script = [](const auto&) { return result(status({outcome(kR1, {})}, {kR1}, Texts{receipt(kR1)})); };
    EXPECT_TRUE(std::holds_alternative<TreeSource::Tree>(tree()));
    EXPECT_EQ(host.asked("\"method\":\"tx_status\""), 1u);
    EXPECT_EQ(host.seen.size(), 1u);
}

const std::string kChunk = "HjAMoRyRgvWo9BcDB8WBD9mL3Uk9EnK8gFqAw5CxP846";
const std::string kLater = "4XXtr7JrRNaquPXe7RZ1PSgJ645dgSpsRyE6gmvhvQV4";

// All of the tree is executed in the blocks 12 and 14 of a host that tells no receipts; the chunk in 13 lists
// R2.
Transport::Reply without_receipts(const net::HttpRequest& request) {
    const auto asks = [&](const std::string& text) { return request.body.find(text) != std::string::npos; };
    if (asks("EXPERIMENTAL_receipt")) return error("UNKNOWN_RECEIPT");
    if (asks("tx_status")) {
        auto second = outcome(kR2, {});
        second.replace(second.find(kBlock), kBlock.size(), kLater);
        return result(status({outcome(kR1, {kR2}), second}, {kR1}));
    }
    if (asks(kBlock) || asks("\"block_id\":12}")) return result(block_json(12, "", kBlock));
    if (asks(kLater) || asks("\"block_id\":14}")) return result(block_json(14, "", kLater));
    if (asks("\"block_id\":13}")) return result(block_json(13, chunk_header(kChunk, 13, 0), kR3));
    auto chunk = chunk_json(kChunk, 13, 0);
    const std::string none = R"("receipts":[])";
    chunk.replace(chunk.find(none), none.size(), "\"receipts\":[" + receipt(kR2) + "]");
    return result(chunk);
}

TEST_F(TreeBodies, AReceiptIsFoundInTheChunkAboveTheBlockThatMadeIt) {
    auto& host = world.host("main", HostKind::regular);
    host.script = without_receipts;
    const auto result = tree();
    const auto& got = std::get<TreeSource::Tree>(result);
    ASSERT_EQ(got.extra_receipts.size(), 1u);
    EXPECT_EQ(got.extra_receipts[0].receipt.receipt_id, kR2);
    EXPECT_THAT(got.missing_receipts, ElementsAre(kR1)) << "the transaction tells it, too";
    const auto asked = host.asked(kChunk);
    EXPECT_EQ(asked, 1u);
    tree();
    EXPECT_EQ(host.asked(kChunk), asked) << "the chunk is in hand";
}

TEST_F(TreeBodies, AReceiptIsTakenFromAnotherHostsAnswer) {
    auto& poor = world.host("poor", HostKind::regular);
    auto& rich = world.host("rich", HostKind::archival);
    poor.script = [](const net::HttpRequest& request) {
        return asks(request, "tx_status") ? result(status({outcome(kR1, {kR2}), outcome(kR2, {})}))
                                          : error("UNKNOWN_BLOCK");
    };
    rich.script = [](const net::HttpRequest& request) {
        return asks(request, "tx_status") ? result(status({outcome(kR1, {kR2}), outcome(kR2, {})}, {kR1},
                                                          Texts{receipt(kR1), receipt(kR2)}))
                                          : error("UNKNOWN_BLOCK");
    };
    const auto result = tree();
    const auto& got = std::get<TreeSource::Tree>(result);
    EXPECT_EQ(got.host, "poor");
    EXPECT_EQ(got.extra_receipts.size(), 2u);
    EXPECT_THAT(got.missing_receipts, IsEmpty());
}

TEST_F(TreeBodies, AllOtherHostsAreAskedWhileReceiptsAreMissing) {
    for (const char* name : {"first", "second", "third"})
        world.host(name, HostKind::regular).script = [](const net::HttpRequest& request) {
            return asks(request, "tx_status")
                       ? result(status({outcome(kR1, {kR2}), outcome(kR2, {})}, {kR1}, Texts{receipt(kR1)}))
                       : error("UNKNOWN_BLOCK");
        };
    world.host("rich", HostKind::archival).script = [](const net::HttpRequest& request) {
        return asks(request, "tx_status")
                   ? result(status({outcome(kR1, {kR2}), outcome(kR2, {})}, {kR2}, Texts{receipt(kR2)}))
                   : error("UNKNOWN_BLOCK");
    };
    const auto result = tree();
    const auto& got = std::get<TreeSource::Tree>(result);
    ASSERT_EQ(got.extra_receipts.size(), 1u);
    EXPECT_EQ(got.extra_receipts[0].receipt.receipt_id, kR2);
    EXPECT_THAT(got.missing_receipts, IsEmpty());
}

TEST(ListedWithin, ABlockAboveTheOneThatMadeItAndNotAboveTheOneThatExecutedIt) {
    auto second = outcome(kR2, {});
    second.replace(second.find(kBlock), kBlock.size(), kLater);
    auto told = chain::decode_transaction_status_answer(
        R"({"jsonrpc":"2.0","result":)" + status({outcome(kR1, {kR2}), second}) + R"(,"id":1})");
    ASSERT_TRUE(told);
    const auto within = listed_within(told->value, {kR2, kR3});
    ASSERT_EQ(within.size(), 1u);
    EXPECT_EQ(within[0].made_in, kBlock);
    EXPECT_EQ(within[0].executed_in, kLater);
}

TEST_F(TreeBodies, AHostWithoutReceiptsLeavesThemMissing) {
    auto& host = world.host("main", HostKind::regular);
    host.script = [](const net::HttpRequest& request) {
        if (asks(request, "\"method\":\"tx\""))
            return result(status({outcome(kR1, {kR2}), outcome(kR2, {})}));
        return error("METHOD_NOT_FOUND", 400, "REQUEST_VALIDATION_ERROR");
    };
    const auto result = tree();
    EXPECT_THAT(std::get<TreeSource::Tree>(result).missing_receipts, UnorderedElementsAre(kR1, kR2));
}

TEST_F(TreeBodies, ALocalInitialReceiptIsNotWorthAskingFor) {
    auto& host = world.host("main", HostKind::regular);
    host.script = [](const auto&) {
        return result(status({outcome(kR1, {kR2}), outcome(kR2, {})}, {kR1}, Texts{receipt(kR2)}, "a.near"));
    };
    const auto result = tree();
    EXPECT_THAT(std::get<TreeSource::Tree>(result).missing_receipts, ElementsAre(kR1));
    EXPECT_EQ(host.seen.size(), 1u);
}

TEST_F(TreeBodies, AFaultyHostLeavesTheReceiptMissingAndKeepsTheTree) {
    auto& host = world.host("main", HostKind::regular);
    host.script = [](const net::HttpRequest& request) {
        if (asks(request, "EXPERIMENTAL_receipt")) return http(500, "");
        if (asks(request, "\"method\":\"block\"")) return error("UNKNOWN_BLOCK");
        return result(status({outcome(kR1, {})}, {kR1}, Texts{}));
    };
    const auto result = tree();
    EXPECT_THAT(std::get<TreeSource::Tree>(result).missing_receipts, ElementsAre(kR1));
}

chain::Decoded<chain::Chunk> chunk_with(const std::string& receipt_id) {
    auto chunk = chunk_json(kChunk, 13, 0);
    const std::string none = R"("receipts":[])";
    chunk.replace(chunk.find(none), none.size(), "\"receipts\":[" + receipt(receipt_id) + "]");
    auto decoded = chain::decode_chunk_answer(R"({"jsonrpc":"2.0","result":)" + chunk + R"(,"id":1})");
    return std::move(*decoded);
}

std::vector<SharedChunk> one_chunk(const std::string& receipt_id) {
    return {std::make_shared<const chain::Decoded<chain::Chunk>>(chunk_with(receipt_id))};
}

TEST(ListedReceiptsTest, KeepsTheNewestAndForgetsLostBlocks) {
    ListedReceipts listed(1);
    listed.put(10, one_chunk(kR1));
    EXPECT_EQ(listed.find(kR1)->receipt.receipt_id, kR1);
    listed.put(11, one_chunk(kR2));
    EXPECT_FALSE(listed.find(kR1)) << "there is room for one";
    EXPECT_TRUE(listed.find(kR2));
    EXPECT_FALSE(listed.has(10));
    listed.forget(base::HeightSet(base::HeightRange{11, 11}));
    EXPECT_FALSE(listed.find(kR2));
    EXPECT_FALSE(listed.has(11));
}

}  // namespace
}  // namespace receiptd::rpc
