// What the hosts' answers about a transaction mean for its watch.
#include "watch/rpc_watch_upstream.hpp"

#include "chain/json/decode.hpp"
#include "support/await.hpp"

#include <boost/asio/thread_pool.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace receiptd::watch {
namespace {

// Hosts that tell a level of the transaction, and no outcome.
class LevelsOnly final : public rpc::TreeSource {
public:
    explicit LevelsOnly(std::string level) : level_(std::move(level)) {}

    base::Task<TreeResult> tree(Query) override {
        Tree tree;
        tree.status = *chain::decode_transaction_status_answer(
            R"({"jsonrpc":"2.0","id":"1","result":{"final_execution_status":")" + level_ + R"("}})");
        co_return tree;
    }
    base::Task<base::Result<chain::BlockRef, rpc::Unavailable>> final_block(std::string, chain::BlockHeight,
                                                                            rpc::Priority) override {
        co_return rpc::Unavailable{};
    }
    void forget_blocks(const base::HeightSet&) override {}
    base::Task<std::optional<bool>> holds_blocks(base::HeightRange, rpc::Priority) override {
        co_return std::nullopt;
    }
    base::Task<std::optional<chain::ShardLayout>> shard_layout(chain::BlockHeight,
                                                               std::optional<ShardWitness>,
                                                               rpc::Priority) override {
        co_return std::nullopt;
    }

private:
    std::string level_;
};

struct NoKeys final : rpc::FinalKeys {
    base::Task<base::Result<rpc::FinalKey, rpc::Unavailable>> key(Query) override {
        co_return rpc::Unavailable{};
    }
};

WatchUpstream::NotKnown answer_of(const std::string& level) {
    LevelsOnly hosts(level);
    NoKeys keys;
    base::asio::thread_pool cpu(1);
    RpcWatchUpstream upstream(cpu, hosts, keys);
    return std::get<WatchUpstream::NotKnown>(test::await(upstream.tree("tx", "alice.near", 100)));
}

TEST(WatchUpstream, ALevelWithoutAnOutcomeIsTheWordOfAHostThatHasAChunkAndNothingElse) {
    EXPECT_EQ(answer_of("INCLUDED").word, WatchUpstream::Word::in_a_chunk);
    EXPECT_EQ(answer_of("INCLUDED").asked, "a host says INCLUDED, and none tells its outcome");
    EXPECT_EQ(answer_of("NONE").word, WatchUpstream::Word::none);
}

}  // namespace
}  // namespace receiptd::watch
