// The receipts of a tree that the answer about its transaction leaves out.
#include "base/coroutine.hpp"
#include "base/task_group.hpp"
#include "rpc/block_source.hpp"
#include "rpc/questions.hpp"
#include "rpc/tree_source.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace receiptd::rpc {
namespace {

using DecodedReceipt = chain::Decoded<chain::Receipt>;
using DecodedStatus = chain::Decoded<chain::TransactionStatus>;

constexpr std::size_t kBodiesAtOnce = 8;
// A receipt is listed in the next new chunk of its shard, under congestion some blocks later, and may wait
// long for its execution then. Blocks that are looked through from either end.
constexpr chain::BlockHeight kNextChunks = 12;
constexpr chain::BlockHeight kLastChunks = 4;
constexpr std::size_t kMostBlocksFetched = 32;  // for one answer; later ones go on

Decoder<DecodedReceipt> receipt_decoder(std::string id) {
    return [id = std::move(id)](std::string body) -> base::Result<DecodedReceipt, std::string> {
        auto receipt = chain::decode_receipt_answer(std::move(body));
        if (!receipt) return refuse<DecodedReceipt>(receipt.error());
        if (receipt->value.receipt_id != id)
            return refuse<DecodedReceipt>("asked for receipt " + id + ", got another one");
        return std::move(*receipt);
    };
}

ReceiptBody body_of(DecodedReceipt told) {
    auto kept = std::make_shared<const DecodedReceipt>(std::move(told));
    return {kept, kept->value};
}

// In the order in which they are looked through.
std::vector<chain::BlockHeight> heights_between(chain::BlockHeight made_in, chain::BlockHeight executed_in) {
    std::vector<chain::BlockHeight> heights;
    const auto next = std::min(executed_in, made_in + kNextChunks);
    for (auto height = made_in + 1; height <= next; ++height) heights.push_back(height);
    const auto last = std::max(next, executed_in > kLastChunks ? executed_in - kLastChunks : 0);
    for (auto height = executed_in; height > last; --height) heights.push_back(height);
    return heights;
}

}  // namespace

MissingBodies missing_bodies(const chain::TransactionStatus& status) {
    std::unordered_set<chain::Text> had;
    if (status.receipts)
        for (const auto& receipt : *status.receipts) had.insert(receipt.receipt_id);
    chain::Text local;
    if (status.transaction && status.transaction_outcome &&
        !status.transaction_outcome->receipt_ids.empty() &&
        status.transaction->signer_id == status.transaction->receiver_id)
        local = status.transaction_outcome->receipt_ids.front();
    MissingBodies missing;
    for (const auto& outcome : status.receipts_outcome) {
        if (!had.insert(outcome.id).second) continue;
        (outcome.id == local ? missing.hopeless : missing.worth_asking).emplace_back(outcome.id);
    }
    return missing;
}

std::vector<ListedWithin> listed_within(const chain::TransactionStatus& status,
                                        const std::vector<std::string>& receipt_ids) {
    std::unordered_map<chain::Text, chain::Text> made_in, executed_in;
    const auto add = [&](const chain::Outcome& outcome) {
        executed_in.emplace(outcome.id, outcome.block_hash);
        for (const auto id : outcome.receipt_ids) made_in.emplace(id, outcome.block_hash);
    };
    if (status.transaction_outcome) add(*status.transaction_outcome);
    for (const auto& outcome : status.receipts_outcome) add(outcome);
    std::vector<ListedWithin> all;
    for (const auto& id : receipt_ids) {
        const auto made = made_in.find(id);
        const auto executed = executed_in.find(id);
        if (made == made_in.end() || executed == executed_in.end()) continue;
        all.push_back({id, std::string(made->second), std::string(executed->second)});
    }
    return all;
}

// State that the workers of one tree share; it outlives a caller that was cancelled.
struct RpcTreeSource::Bodies {
    std::vector<std::string> ids;
    std::size_t next = 0;
    std::vector<DecodedReceipt> had;
    std::vector<std::string> missing;
};

base::Task<void> RpcTreeSource::complete_bodies(Tree& tree, MissingBodies missing, Query query) {
    auto& left = missing.worth_asking;
    take_listed(tree, left);
    if (!left.empty()) co_await search_chunks(tree, left, query.priority);
    if (!left.empty() && router_->hosts().size() > 1) co_await ask_other_hosts(tree, left, query);
    if (!left.empty()) co_await ask_for_bodies(tree, left, query.priority);
    tree.missing_receipts = std::move(missing.hopeless);
    for (auto& id : left) tree.missing_receipts.push_back(std::move(id));
}

void RpcTreeSource::take_listed(Tree& tree, std::vector<std::string>& missing) const {
    std::erase_if(missing, [&](const std::string& id) {
        auto body = listed_->find(id);
        if (body) tree.extra_receipts.push_back(std::move(*body));
        return body.has_value();
    });
}

base::Task<void> RpcTreeSource::search_chunks(Tree& tree, std::vector<std::string>& missing,
                                              Priority priority) {
    std::size_t fetched = 0;
    Heights heights;
    const auto all = listed_within(tree.status.value, missing);
    for (const auto& one : all) {
        if (std::find(missing.begin(), missing.end(), one.receipt_id) == missing.end()) continue;
        const auto made_in = co_await height_of(heights, one.made_in, priority);
        const auto executed_in = co_await height_of(heights, one.executed_in, priority);
        if (!made_in || !executed_in) continue;
        for (const auto height : heights_between(*made_in, *executed_in)) {
            if (!listed_->has(height) && ++fetched > kMostBlocksFetched) break;
            if (!listed_->has(height)) co_await chunks_.fetch(height, priority);
            if (listed_->find(one.receipt_id)) break;
        }
        take_listed(tree, missing);  // the chunk may give way to others
    }
}

// A block that cannot be had is asked for once.
base::Task<std::optional<chain::BlockHeight>> RpcTreeSource::height_of(Heights& known, std::string hash,
                                                                       Priority priority) {
    if (const auto found = known.find(hash); found != known.end()) co_return found->second;
    const auto block = co_await final_block(hash, kHighest, priority);
    const auto height = block ? std::optional(block->height) : std::nullopt;
    known.emplace(std::move(hash), height);
    co_return height;
}

// The best of them is waited for, the rest only while they can be asked.
base::Task<void> RpcTreeSource::ask_other_hosts(Tree& tree, std::vector<std::string>& missing, Query query) {
    std::set<std::size_t> asked;
    if (const auto host = router_->find(tree.host)) asked.insert(*host);
    query.elsewhere_than = tree.host;
    while (!missing.empty()) {
        auto answer = co_await ask_by_any_method(query, std::make_shared<Aside>());
        if (answer && asked.insert(answer->host).second) take_told(tree, missing, std::move(answer->value));
        if (query.only_host) asked.insert(*query.only_host);
        query.only_host = router_->ready_except(kTreeMethods.back(), asked);
        if (!query.only_host) co_return;
    }
}

void RpcTreeSource::take_told(Tree& tree, std::vector<std::string>& missing, Told answer) {
    const auto told = std::make_shared<const DecodedStatus>(std::move(answer.status));
    if (!told->value.receipts) return;
    std::unordered_map<chain::Text, const chain::Receipt*> bodies;
    for (const auto& receipt : *told->value.receipts) bodies.emplace(receipt.receipt_id, &receipt);
    std::erase_if(missing, [&](const std::string& id) {
        const auto body = bodies.find(id);
        if (body == bodies.end()) return false;
        tree.extra_receipts.push_back({told, *body->second});
        return true;
    });
}

base::Task<void> RpcTreeSource::ask_for_bodies(Tree& tree, std::vector<std::string>& missing,
                                               Priority priority) {
    auto bodies = std::make_shared<Bodies>();
    bodies->ids = std::move(missing);
    base::TaskGroup workers(executor_);
    for (std::size_t i = 0; i < std::min(kBodiesAtOnce, bodies->ids.size()); ++i)
        workers.spawn(fetch_bodies(bodies, priority));
    co_await workers.join();
    for (auto& body : bodies->had) tree.extra_receipts.push_back(body_of(std::move(body)));
    missing = std::move(bodies->missing);
}

// A fault of a host leaves the receipt among the missing ones: it is asked for again with the tree.
base::Task<void> RpcTreeSource::fetch_bodies(std::shared_ptr<Bodies> bodies, Priority priority) {
    while (bodies->next < bodies->ids.size()) {
        const auto id = bodies->ids[bodies->next++];
        auto call = ask_receipt(id, priority);
        auto decode = receipt_decoder(id);
        auto answer =
            co_await decoded_call<DecodedReceipt>(*router_, pool_, std::move(call), std::move(decode));
        if (answer)
            bodies->had.push_back(std::move(answer->value));
        else
            bodies->missing.push_back(id);
    }
}

}  // namespace receiptd::rpc
