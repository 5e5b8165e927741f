// Hosts that tell one tree for every hash: alice calls bob in block 10, bob executes it in block 11.
#pragma once

#include "base/clock.hpp"
#include "base/coroutine.hpp"
#include "rpc/source.hpp"
#include "unit/chain/chain_builder.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::rpc::testing {

class HandClock final : public base::Clock {
public:
    base::WallTime wall() const override { return base::WallTime(std::chrono::hours(3)) + passed; }
    base::SteadyTime steady() const override { return base::SteadyTime(std::chrono::hours(1)) + passed; }
    base::Duration passed{};
};

class ToldTrees final : public TreeSource {
public:
    explicit ToldTrees(base::asio::any_io_executor executor) : executor_(std::move(executor)) {}

    base::Task<TreeResult> tree(Query) override {
        co_await base::asio::post(executor_, base::asio::use_awaitable);
        co_return told();
    }
    base::Task<base::Result<chain::BlockRef, Unavailable>> final_block(std::string hash, chain::BlockHeight,
                                                                       Priority) override {
        co_await base::asio::post(executor_, base::asio::use_awaitable);
        co_return block(std::move(hash));
    }
    void forget_blocks(const base::HeightSet&) override {}
    base::Task<std::optional<bool>> holds_blocks(base::HeightRange, Priority) override { co_return true; }
    base::Task<std::optional<chain::ShardLayout>> shard_layout(chain::BlockHeight height,
                                                               std::optional<ShardWitness> witness,
                                                               Priority) override {
        layouts_asked.emplace_back(height, witness ? witness->account_id : "");
        co_await base::asio::post(executor_, base::asio::use_awaitable);
        co_return layout;
    }

    static Tree told() {
        namespace paper = chain::testing;
        auto executed = paper::transaction("tx", "alice", "bob", "call");
        executed.outcome->block_hash = "10";
        Tree told;
        auto& status = told.status.value;
        status.transaction = executed.transaction;
        status.transaction_outcome = executed.outcome;
        status.receipts.emplace();
        status.receipts->push_back(paper::action_receipt("call", "alice", "bob", "alice"));
        auto outcome = paper::outcome("call", "bob");
        outcome.block_hash = "11";
        status.receipts_outcome.push_back(std::move(outcome));
        told.complete = true;
        return told;
    }
    // Its hash is its height.
    static chain::BlockRef block(std::string hash) {
        chain::BlockRef block;
        block.height = std::stoull(hash);
        block.hash = std::move(hash);
        block.epoch_id = "epoch";
        return block;
    }

    std::vector<std::pair<chain::BlockHeight, std::string>> layouts_asked;  // with the witness
    std::optional<chain::ShardLayout> layout = chain::ShardLayout{{"b", "c"}, {4, 9, 2}};

private:
    base::asio::any_io_executor executor_;
};

}  // namespace receiptd::rpc::testing
