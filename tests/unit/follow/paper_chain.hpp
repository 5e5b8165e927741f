// A chain on paper: whole blocks as neardata has them, or blocks and trees as hosts tell them by rpc.
#pragma once

#include "base/coroutine.hpp"
#include "config/settings.hpp"
#include "rpc/block_contents.hpp"
#include "unit/chain/chain_builder.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::follow::testing {

using base::Height;

inline std::string_view keep(std::string text) {
    static std::deque<std::string> kept;
    return kept.emplace_back(std::move(text));
}

inline std::string hash_of(Height height) { return "hash" + std::to_string(height); }

// Heights with blocks, chained in ascending order unless a parent's hash is given.
class PaperChain : public rpc::BlockSource, public rpc::Witnesses {
public:
    explicit PaperChain(base::asio::any_io_executor executor, config::Source form = config::Source::neardata)
        : executor_(std::move(executor)), form_(form) {}

    void add(Height height) {
        const auto parent = blocks_.empty() ? height - 1 : blocks_.rbegin()->first;
        blocks_[height] = {parent, hash_of(parent), hash_of(height)};
    }
    void add_range(Height from, Height to) {
        for (auto height = from; height <= to; ++height) add(height);
    }
    // Its one receipt fails: in the same block of neardata, in the next one by rpc.
    void add_failing(std::string tx_hash, Height height) { transactions_[keep(std::move(tx_hash))] = height; }
    void forge(Height height, std::string parent_hash) {
        blocks_[height].parent_hash = std::move(parent_hash);
    }
    void forget(Height height) { blocks_.erase(height); }
    // From this height on, blocks are so much later than they would be.
    void jump(Height height, std::chrono::seconds by) { jumps_[height] = by; }
    // The host tells other blocks from this height on, each linked to the one below, until it is doubted.
    void fork_from(Height from) {
        true_blocks_ = blocks_;
        for (auto& [height, block] : blocks_) {
            if (height < from) continue;
            if (block.parent >= from) block.parent_hash = "false " + block.parent_hash;
            block.hash = "false " + block.hash;
        }
    }
    // The host says this of a height instead of the truth, so many times.
    void lie(chain::BlockRef block, unsigned times) { lies_[block.height] = {std::move(block), times}; }
    void tell_head(Height height, unsigned times) {
        false_head_ = {{height, "invented", "", std::nullopt, 0}, times};
    }
    void fail(Height height, unsigned times, std::string reason = "UNKNOWN_CHUNK") {
        faults_[height] = {times, std::move(reason)};
    }

    base::Task<base::Result<chain::BlockRef, rpc::Unavailable>> head() override {
        if (const auto lie = take(false_head_)) co_return *lie;
        co_return ref(blocks_.rbegin()->first);
    }
    base::Task<rpc::FetchResult> fetch(Height height, rpc::Priority, bool with_chunks) override {
        co_await base::asio::post(executor_, base::asio::use_awaitable);
        ++fetches[height];
        if (on_fetch) on_fetch(height);
        if (late.contains(height))
            co_return co_await elsewhere->fetch(height, rpc::Priority::head, with_chunks);
        const auto fault = faults_.find(height);
        const bool concerned =
            with_chunks || (fault != faults_.end() && fault->second.reason != "UNKNOWN_CHUNK");
        if (fault != faults_.end() && fault->second.times > 0 && concerned) {
            --fault->second.times;
            co_return rpc::Unavailable{fault->second.reason, "on paper"};
        }
        if (const auto lie = lies_.find(height); lie != lies_.end())
            if (const auto told = take(lie->second)) co_return contents(*told);
        if (height > blocks_.rbegin()->first) {
            if (false_head_.told_at > 0) co_return rpc::NoSuchHeight{"on paper"};
            co_return rpc::NotYet{};
        }
        if (!blocks_.contains(height)) co_return rpc::NoSuchHeight{"on paper"};
        co_return contents(ref(height));
    }
    base::Task<rpc::FetchResult> fetch_elsewhere(Height height, rpc::Priority priority,
                                                 bool with_chunks) override {
        if (elsewhere == nullptr) return BlockSource::fetch_elsewhere(height, priority, with_chunks);
        return elsewhere->fetch(height, priority, with_chunks);
    }
    PaperChain* elsewhere = nullptr;  // hosts that are asked for what this one leaves out
    base::HeightSet late;             // of the head: it does not tell them in time, so those hosts do
    bool waits_for_next() const override { return false; }

    // --- The word of each host; without others the chain's own is the only one ---
    base::Task<std::vector<rpc::Witness>> ask(Height height, std::string) override {
        co_await base::asio::post(executor_, base::asio::use_awaitable);
        std::vector<rpc::Witness> witnesses;
        witnesses.push_back(word_of("paper", height, *this));
        ++asked;
        for (const auto& [name, chain] : others)
            if (chain != nullptr)
                witnesses.push_back(word_of(name, height, *chain));
            else
                witnesses.push_back({name, rpc::Witness::Word::silent, std::nullopt, "http_402"});
        co_return witnesses;
    }
    std::size_t count() const override { return 1 + others.size(); }
    void doubt(const std::string& host) override {
        doubted.push_back(host);
        if (!true_blocks_.empty()) blocks_ = std::exchange(true_blocks_, {});
    }
    void doubt_heads(Height height) override { doubted.push_back("head " + std::to_string(height)); }
    std::map<std::string, const PaperChain*> others;  // null: it gives no answer
    unsigned asked = 0;                               // for the word of each host
    std::vector<std::string> doubted;
    bool tells_outcomes() const override { return form_ == config::Source::neardata; }

    chain::BlockRef ref(Height height) const {
        const auto& block = blocks_.at(height);
        return {height, block.hash, block.parent_hash, block.parent, time_of(height)};
    }
    bool has(Height height) const { return blocks_.contains(height); }
    std::uint64_t time_of(Height height) const {
        auto seconds = static_cast<std::int64_t>(height);
        for (const auto& [from, by] : jumps_)
            if (from <= height) seconds += by.count();
        return static_cast<std::uint64_t>(seconds) * 1'000'000'000;
    }
    const std::map<std::string_view, Height>& transactions() const { return transactions_; }

    std::map<Height, unsigned> fetches;
    std::function<void(Height)> on_fetch;

private:
    struct PaperBlock {
        Height parent = 0;
        std::string parent_hash;
        std::string hash;
    };
    struct Fault {
        unsigned times = 0;
        std::string reason;
    };

    static rpc::Witness word_of(const std::string& name, Height height, const PaperChain& chain) {
        using Word = rpc::Witness::Word;
        if (!chain.has(height)) return {name, Word::denies, std::nullopt};
        return {name, Word::has, chain.ref(height)};
    }
    struct Lie {
        chain::BlockRef told;
        unsigned times = 0;
        unsigned told_at = 0;  // how often
    };
    static std::optional<chain::BlockRef> take(Lie& lie) {
        if (lie.times == 0) return std::nullopt;
        --lie.times;
        ++lie.told_at;
        return lie.told;
    }
    rpc::FetchResult contents(const chain::BlockRef& of) const {
        return form_ == config::Source::rpc ? rpc_block(of) : whole_block(of);
    }
    static chain::Block block(const chain::BlockRef& of) {
        chain::Block block;
        auto& header = block.header;
        header.height = of.height;
        header.prev_height = of.prev_height;
        header.hash = keep(of.hash);
        header.prev_hash = keep(of.prev_hash);
        header.epoch_id = header.next_epoch_id = "epoch";
        header.timestamp_nanosec = of.timestamp_nanosec;
        block.author = "author";
        return block;
    }
    rpc::FetchResult whole_block(const chain::BlockRef& of) const {
        namespace paper = chain::testing;
        chain::Decoded<chain::WholeBlock> whole;
        whole.value.block = block(of);
        auto& shard = whole.value.shards.emplace_back();
        for (const auto& [hash, included_in] : transactions_) {
            if (included_in != of.height) continue;
            const auto receipt = keep(std::string(hash) + "-r");
            shard.transactions.push_back(paper::transaction(hash, "alice", "alice", receipt));
            shard.executed.push_back(
                paper::executed(paper::action_receipt(receipt, "alice", "alice", "alice")));
            shard.executed.back().outcome = paper::failed(shard.executed.back().outcome);
        }
        return std::make_unique<rpc::WholeBlockContents>("paper", std::move(whole));
    }
    rpc::FetchResult rpc_block(const chain::BlockRef& of) const {
        chain::Decoded<chain::Block> header;
        header.value = block(of);
        auto listed = std::make_shared<chain::Decoded<chain::Chunk>>();
        auto& chunk = listed->value;
        for (const auto& [hash, included_in] : transactions_)
            if (included_in == of.height)
                chunk.transactions.push_back(
                    chain::testing::transaction(hash, "alice", "bob", "").transaction);
        return std::make_unique<rpc::RpcBlock>("paper", std::move(header),
                                               std::vector<rpc::SharedChunk>{std::move(listed)});
    }

    base::asio::any_io_executor executor_;
    config::Source form_;
    std::map<Height, PaperBlock> blocks_;
    std::map<Height, PaperBlock> true_blocks_;  // while it tells others
    std::map<std::string_view, Height> transactions_;
    std::map<Height, Fault> faults_;
    std::map<Height, std::chrono::seconds> jumps_;
    std::map<Height, Lie> lies_;
    Lie false_head_;
};

// The trees of its transactions, as hosts tell them.
class PaperTrees final : public rpc::TreeSource {
public:
    PaperTrees(base::asio::any_io_executor executor, const PaperChain& chain)
        : executor_(std::move(executor)), chain_(chain) {}

    base::Task<TreeResult> tree(Query query) override {
        co_await base::asio::post(executor_, base::asio::use_awaitable);
        const auto times = ++asked[query.tx_hash];
        asked_in_order.push_back(query.tx_hash);
        if (before_answer) co_await before_answer();
        net::AnswerRoom::Share share;
        if (room) {
            most_waiting = std::max(most_waiting, ++waiting);
            share = co_await net::AnswerRoom::take(room, 1);
            --waiting;
        }
        const auto found = chain_.transactions().find(query.tx_hash);
        if (found == chain_.transactions().end() || unknown.contains(query.tx_hash))
            co_return Unknown{"on paper", false, unknown_to_two};
        auto told = tree_of(found->first, found->second);
        if (!query.elsewhere_than.empty() && ++asked_elsewhere > silent_elsewhere) told.host = "second";
        if (times <= incomplete[query.tx_hash]) {
            told.status.value.receipts_outcome.clear();
            told.complete = false;
        }
        if (const auto other = executed_in.find(query.tx_hash); other != executed_in.end())
            told.status.value.transaction_outcome->block_hash = keep(hash_of(other->second));
        if (times <= in_a_fork[query.tx_hash])
            for (auto& outcome : told.status.value.receipts_outcome) outcome.block_hash = kFork;
        told.room = std::move(share);
        co_return std::move(told);
    }
    base::Task<base::Result<chain::BlockRef, rpc::Unavailable>> final_block(std::string hash,
                                                                            Height final_height,
                                                                            rpc::Priority) override {
        co_await base::asio::post(executor_, base::asio::use_awaitable);
        ++blocks_asked;
        if (!block_fault.empty()) co_return rpc::Unavailable{block_fault, "on paper"};
        if (hash == kFork) co_return rpc::Unavailable{rpc::kOfAFork, "on paper"};
        const Height height = std::stoull(hash.substr(std::string_view("hash").size()));
        if (height > final_height) co_return rpc::Unavailable{"NOT_FINAL", "on paper"};
        if (!chain_.has(height)) co_return rpc::Unavailable{"UNKNOWN_BLOCK", "on paper"};
        co_return chain_.ref(height);
    }
    void forget_blocks(const base::HeightSet& heights) override { forgotten.add(heights); }
    base::Task<std::optional<bool>> holds_blocks(base::HeightRange heights, rpc::Priority) override {
        co_return chain_.has(heights.from);
    }
    base::Task<std::optional<chain::ShardLayout>> shard_layout(Height, std::optional<ShardWitness>,
                                                               rpc::Priority) override {
        co_await base::asio::post(executor_, base::asio::use_awaitable);
        co_return layout;
    }

    std::map<std::string, unsigned> asked;
    std::vector<std::string> asked_in_order;
    std::function<base::Task<void>()> before_answer;
    std::map<std::string, unsigned> incomplete;  // so many answers are, first
    std::map<std::string, unsigned> in_a_fork;   // so many answers are executed in one, first
    std::map<std::string, Height> executed_in;   // another block than the one that lists it
    base::HeightSet forgotten;                   // blocks
    std::set<std::string> unknown;
    bool unknown_to_two = false;
    unsigned blocks_asked = 0;
    std::string block_fault;                // the reason for which none can be had
    unsigned asked_elsewhere = 0;           // than the host of an answer
    unsigned silent_elsewhere = 0;          // so many of these questions the first host answers again
    std::shared_ptr<net::AnswerRoom> room;  // if set, each answer is a large one and takes 1 of it
    unsigned waiting = 0;                   // for room, or have just come
    unsigned most_waiting = 0;
    std::optional<chain::ShardLayout> layout = chain::ShardLayout{{"b", "c"}, {4, 9, 2}};

private:
    static constexpr const char* kFork = "a block that lost";

    static Tree tree_of(std::string_view hash, Height included_in) {
        namespace paper = chain::testing;
        const auto receipt = keep(std::string(hash) + "-r");
        auto executed = paper::transaction(hash, "alice", "bob", receipt);
        executed.outcome->block_hash = keep(hash_of(included_in));
        Tree told;
        auto& status = told.status.value;
        status.transaction = executed.transaction;
        status.transaction_outcome = executed.outcome;
        status.receipts.emplace();
        status.receipts->push_back(paper::action_receipt(receipt, "alice", "bob", "alice"));
        auto outcome = paper::failed(paper::outcome(receipt, "bob"));
        outcome.block_hash = keep(hash_of(included_in + 1));
        status.receipts_outcome.push_back(std::move(outcome));
        told.host = "regular";
        told.complete = true;
        return told;
    }

    base::asio::any_io_executor executor_;
    const PaperChain& chain_;
};

}  // namespace receiptd::follow::testing
