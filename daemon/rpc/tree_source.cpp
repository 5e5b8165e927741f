#include "rpc/tree_source.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "base/task_group.hpp"
#include "chain/proof/outcomes_root.hpp"
#include "rpc/block_source.hpp"
#include "rpc/questions.hpp"
#include "rpc/shard_layout.hpp"

#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace receiptd::rpc {
namespace {

using DecodedReceipt = chain::Decoded<chain::Receipt>;
using DecodedStatus = chain::Decoded<chain::TransactionStatus>;

constexpr std::size_t kBodiesAtOnce = 8;
constexpr chain::BlockHeight kMostSkipped = 8;  // in a row
constexpr unsigned kMostWalked = 16;            // from block to parent
// Gas for more receipts than that fits no transaction, and each costs a question, to this host or another
// one.
constexpr std::size_t kMostBodies = 4'000;
constexpr std::size_t kMostBlocks = 1'000;  // in which one tree runs

// A host must not make us ask without end.
std::string too_much(const chain::TransactionStatus& status, const MissingBodies& missing) {
    const auto bodies = missing.worth_asking.size();
    if (bodies > kMostBodies)
        return "lists " + std::to_string(bodies) + " outcomes without their receipts: no tree is so large";
    std::unordered_set<chain::Text> blocks;
    for (const auto& outcome : status.receipts_outcome) blocks.insert(outcome.block_hash);
    if (blocks.size() <= kMostBlocks) return {};
    return "lists outcomes of " + std::to_string(blocks.size()) + " blocks: no tree runs in so many";
}

void compute_root(chain::Outcome& outcome) {
    if (const auto root = chain::root_by_path(outcome)) outcome.root = root->to_string();
}

Decoder<DecodedReceipt> receipt_decoder(std::string id) {
    return [id = std::move(id)](std::string body) -> base::Result<DecodedReceipt, std::string> {
        auto receipt = chain::decode_receipt_answer(std::move(body));
        if (!receipt) return refuse<DecodedReceipt>(receipt.error());
        if (receipt->value.receipt_id != id)
            return refuse<DecodedReceipt>("asked for receipt " + id + ", got another one");
        return std::move(*receipt);
    };
}

Decoder<chain::BlockRef> block_at(chain::BlockHeight height) {
    return [decode = block_decoder(height)](std::string body) -> base::Result<chain::BlockRef, std::string> {
        const auto block = decode(std::move(body));
        if (!block) return refuse<chain::BlockRef>(block.error());
        return chain::block_ref(block->value.header);
    };
}

// Whether the chain has no block of these heights below this one, which is among them or above.
bool is_lowest_of(base::HeightRange heights, const chain::BlockRef& block) {
    return block.height <= heights.from || (block.prev_height && *block.prev_height < heights.from);
}

// No host told an outcome of the transaction. One that does not track its shard answers all the same, for
// ever, with a level and nothing else (rpc.md §5.2); so does one that does, until the block after the
// transaction's.
TreeSource::TreeResult without_outcome(CallError error, std::optional<DecodedStatus> partial,
                                       const TreeSource::Query& query) {
    if (!error.absent) return unavailable(std::move(error));
    const bool nobody_tracks = error.reason == kLacking;
    const bool in_a_chunk = partial && partial->value.final_execution_status != "NONE";
    if (!nobody_tracks && !in_a_chunk)
        return TreeSource::Unknown{error.detail, error.doubtful, error.denied_by_two};
    if (query.included_in && nobody_tracks) return Unavailable{kNoHostTracksShard, std::move(error.detail)};
    if (query.included_in || !partial) return unavailable(std::move(error));
    TreeSource::Tree tree;
    tree.status = std::move(*partial);
    return tree;
}

}  // namespace

bool is_complete(const chain::TransactionStatus& status) {
    if (!status.transaction_outcome) return false;
    std::unordered_map<chain::Text, const chain::Outcome*> outcomes;
    for (const auto& outcome : status.receipts_outcome) outcomes.emplace(outcome.id, &outcome);
    chain::List<chain::Text> open = status.transaction_outcome->receipt_ids;
    std::unordered_set<chain::Text> seen(open.begin(), open.end());
    while (!open.empty()) {
        const auto found = outcomes.find(open.back());
        open.pop_back();
        if (found == outcomes.end()) return false;
        for (const auto id : found->second->receipt_ids)
            if (seen.insert(id).second) open.push_back(id);
    }
    return true;
}

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

// State that the workers of one tree share; it outlives a caller that was cancelled.
struct RpcTreeSource::Bodies {
    std::vector<std::string> ids;
    std::size_t next = 0;
    std::vector<DecodedReceipt> had;
    std::vector<std::string> missing;
    std::optional<CallError> error;
};

RpcTreeSource::RpcTreeSource(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                             std::shared_ptr<Router> router, std::shared_ptr<BlockCache> cache,
                             std::shared_ptr<HeaderCheck> headers)
    : executor_(std::move(executor)),
      pool_(pool),
      router_(std::move(router)),
      cache_(std::move(cache)),
      headers_(std::move(headers)) {}

Decoder<RpcTreeSource::Told> RpcTreeSource::decoder(std::string tx_hash, TreeLimits limits) {
    return [tx_hash = std::move(tx_hash), limits](std::string body) -> base::Result<Told, std::string> {
        auto status = chain::decode_transaction_status_answer(std::move(body));
        if (!status) return refuse<Told>(status.error());
        const auto& value = status->value;
        const bool other = (value.transaction && value.transaction->hash != tx_hash) ||
                           (value.transaction_outcome && value.transaction_outcome->id != tx_hash);
        if (other) return refuse<Told>("asked for transaction " + tx_hash + ", got another one");
        Told told;
        told.missing = missing_bodies(value);
        if (auto why = too_much(value, told.missing); !why.empty()) return refuse<Told>(std::move(why));
        if (auto& conversion = status->value.transaction_outcome) compute_root(*conversion);
        for (auto& outcome : status->value.receipts_outcome) compute_root(outcome);
        told.complete = is_complete(value);
        told.beyond = beyond(value, limits);
        if (!told.beyond.empty()) told.digest = digest_of(value);
        told.status = std::move(*status);
        return told;
    };
}

base::Task<TreeSource::TreeResult> RpcTreeSource::tree(Query query) {
    auto aside = std::make_shared<Aside>();
    auto answer = co_await ask_for_status("EXPERIMENTAL_tx_status", query, aside);
    if (!answer && answer.error().method_missing) answer = co_await ask_for_status("tx", query, aside);
    if (!answer) co_return without_outcome(answer.error(), std::move(aside->partial), query);
    Tree tree;
    tree.status = std::move(answer->value.status);
    tree.host = router_->hosts()[answer->host]->name();
    tree.complete = answer->value.complete;
    if (tree.complete) {
        auto failed = co_await complete_bodies(tree, std::move(answer->value.missing), query.priority);
        if (failed) co_return std::move(*failed);
    }
    co_return std::move(tree);
}

base::Task<base::Result<Answer<RpcTreeSource::Told>, CallError>> RpcTreeSource::ask_for_status(
    std::string method, Query query, std::shared_ptr<Aside> aside) {
    const bool alone = router_->hosts().size() == 1;
    auto decode = [aside, alone, decode = decoder(query.tx_hash, limits_)](
                      std::string body) -> base::Result<Told, std::string> {
        auto told = decode(std::move(body));
        if (!told || told->beyond.empty() || alone) return told;
        aside->large = true;
        return refuse<Told>(told->beyond);
    };
    Lacking<Told> lacking = [aside](Told& told) -> std::string {
        if (told.status.value.transaction_outcome) return {};
        std::string says(told.status.value.final_execution_status);
        aside->partial.emplace(std::move(told.status));
        return "no outcome of the transaction, only " + says;
    };
    auto answer = co_await decoded_call<Told>(*router_, pool_, ask_transaction(method, query),
                                              std::move(decode), std::move(lacking));
    if (!answer && std::exchange(aside->large, false))
        answer = co_await ask_two(std::move(method), std::move(query), answer.error());
    co_return answer;
}

base::Task<base::Result<Answer<RpcTreeSource::Told>, CallError>> RpcTreeSource::ask_two(std::string method,
                                                                                        Query query,
                                                                                        CallError error) {
    co_await learn_limits(query.included_in, query.priority);
    std::set<chain::CryptoHash> told;
    for (std::size_t host = 0; host < router_->hosts().size(); ++host) {
        auto call = ask_transaction(method, query);
        call.only_host = host;
        auto decode = decoder(query.tx_hash, limits_);
        auto answer = co_await decoded_call<Told>(*router_, pool_, std::move(call), std::move(decode));
        if (!answer || !answer->value.status.value.transaction_outcome) continue;
        const bool alike = !answer->value.beyond.empty() && !told.insert(answer->value.digest).second;
        if (answer->value.beyond.empty() || alike) co_return answer;
    }
    co_return std::move(error);
}

base::Task<void> RpcTreeSource::learn_limits(std::optional<Inclusion> at, Priority priority) {
    auto call = at ? ask_protocol_config(at->height, priority) : ask_protocol_config(priority);
    auto decode = tree_limits_decoder();
    const auto limits =
        co_await decoded_call<TreeLimits>(*router_, pool_, std::move(call), std::move(decode));
    if (limits) limits_ = limits->value;
}

base::Task<std::optional<Unavailable>> RpcTreeSource::complete_bodies(Tree& tree, MissingBodies missing,
                                                                      Priority priority) {
    auto bodies = std::make_shared<Bodies>();
    bodies->ids = std::move(missing.worth_asking);
    base::TaskGroup workers(executor_);
    for (std::size_t i = 0; i < std::min(kBodiesAtOnce, bodies->ids.size()); ++i)
        workers.spawn(fetch_bodies(bodies, priority));
    co_await workers.join();
    if (bodies->error) co_return unavailable(std::move(*bodies->error));
    tree.extra_receipts = std::move(bodies->had);
    tree.missing_receipts = std::move(missing.hopeless);
    for (auto& id : bodies->missing) tree.missing_receipts.push_back(std::move(id));
    co_return std::nullopt;
}

base::Task<void> RpcTreeSource::fetch_bodies(std::shared_ptr<Bodies> bodies, Priority priority) {
    while (bodies->next < bodies->ids.size() && !bodies->error) {
        const auto id = bodies->ids[bodies->next++];
        auto call = ask_receipt(id, priority);
        auto decode = receipt_decoder(id);
        auto answer =
            co_await decoded_call<DecodedReceipt>(*router_, pool_, std::move(call), std::move(decode));
        if (answer)
            bodies->had.push_back(std::move(answer->value));
        else if (answer.error().absent || answer.error().reason == "METHOD_NOT_FOUND")
            bodies->missing.push_back(id);
        else
            bodies->error = answer.error();
    }
}

base::Task<base::Result<chain::BlockRef, Unavailable>> RpcTreeSource::final_block(
    std::string hash, chain::BlockHeight final_height, Priority priority) {
    if (const auto* known = cache_->find(hash)) co_return *known;
    auto by_hash = block_with_hash(hash);
    auto told = co_await decoded_call<chain::BlockRef>(*router_, pool_, ask_block(hash, priority),
                                                       std::move(by_hash));
    if (!told) co_return unavailable(told.error());
    const auto height = told->value.height;
    const auto at_height = hash + " at height " + std::to_string(height);
    if (height > final_height) co_return Unavailable{"NOT_FINAL", "block " + at_height};
    auto by_height = block_decoder(height);
    auto final = co_await decoded_call<chain::Decoded<chain::Block>>(
        *router_, pool_, ask_block(height, priority), std::move(by_height));
    if (!final && !final.error().absent) co_return unavailable(final.error());
    if (!final) co_return Unavailable{kOfAFork, "the chain has no block beside " + at_height};
    auto& header = final->value.value.header;
    auto refusal = headers_ ? co_await headers_->refusal(header, router_->hosts()[final->host]->name())
                            : std::optional<Unavailable>();
    if (refusal) co_return std::move(*refusal);
    auto block = chain::block_ref(header);
    cache_->put(block);
    if (block.hash != hash)
        co_return Unavailable{kOfAFork, "the chain has " + block.hash + ", not " + at_height};
    co_return std::move(block);
}

base::Task<RpcTreeSource::HeldBlock> RpcTreeSource::held_block(Call call, Decoder<chain::BlockRef> decode) {
    auto told = co_await decoded_call<chain::BlockRef>(*router_, pool_, std::move(call), std::move(decode));
    if (told) co_return HeldBlock(std::move(told->value));
    if (told.error().absent && !told.error().doubtful) co_return HeldBlock(std::nullopt);
    co_return HeldBlock(boost::system::in_place_error, told.error());
}

base::Task<RpcTreeSource::HeldBlock> RpcTreeSource::held_block_from(chain::BlockHeight height,
                                                                    Priority priority) {
    for (const auto end = height + kMostSkipped; height <= end; ++height) {
        auto held = co_await held_block(ask_block(height, priority), block_at(height));
        if (!held || *held) co_return held;
    }
    co_return HeldBlock(std::nullopt);
}

// A height that was skipped and a block that was deleted are denied alike. The block above tells them apart:
// it names its parent.
base::Task<std::optional<bool>> RpcTreeSource::holds_blocks(base::HeightRange heights, Priority priority) {
    auto held = co_await held_block_from(heights.to, priority);
    for (unsigned walked = 0; held && *held && walked < kMostWalked; ++walked) {
        if (is_lowest_of(heights, **held)) co_return true;
        const auto parent = (*held)->prev_hash;
        held = co_await held_block(ask_block(parent, priority), block_with_hash(parent));
    }
    // Hosts delete from below: the lowest one stands for those that were not asked for.
    if (held && *held) held = co_await held_block_from(heights.from, priority);
    if (!held) co_return std::nullopt;
    co_return *held&& is_lowest_of(heights, **held);
}

base::Task<std::optional<chain::ShardLayout>> RpcTreeSource::shard_layout(chain::BlockHeight height,
                                                                          std::optional<ShardWitness> witness,
                                                                          Priority priority) {
    auto call = ask_protocol_config(height, priority);
    auto decode = shard_layout_decoder(std::move(witness));
    auto told =
        co_await decoded_call<chain::ShardLayout>(*router_, pool_, std::move(call), std::move(decode));
    if (told) co_return std::move(told->value);
    log::warn("no upstream tells the shard layout: receipts are stored without their shard",
              {{"block_height", height}, {"because", told.error().detail}});
    co_return std::nullopt;
}

}  // namespace receiptd::rpc
