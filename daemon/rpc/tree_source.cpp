#include "rpc/tree_source.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "chain/proof/outcomes_root.hpp"
#include "rpc/block_source.hpp"
#include "rpc/questions.hpp"
#include "rpc/shard_layout.hpp"
#include "rpc/whole_block_check.hpp"

#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace receiptd::rpc {
namespace {

using DecodedStatus = chain::Decoded<chain::TransactionStatus>;

constexpr chain::BlockHeight kMostSkipped = 8;  // in a row
constexpr unsigned kMostWalked = 16;            // from block to parent
// Gas for more receipts than that fits no transaction, and each costs a question, to this host or another
// one.
constexpr std::size_t kMostBodies = 4'000;
constexpr std::size_t kMostBlocks = 1'000;  // in which one tree runs

// Decoded, a tree of many receipts takes three times its text.
constexpr net::AnswerRoom::Limits kTreeRoom{96 << 20, 64 << 10, 3, true};

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

RpcTreeSource::RpcTreeSource(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                             std::shared_ptr<Router> router, std::shared_ptr<BlockCache> cache,
                             std::shared_ptr<HeaderCheck> headers, std::shared_ptr<ListedReceipts> listed)
    : executor_(executor),
      pool_(pool),
      room_(std::make_shared<net::AnswerRoom>(executor, &large_, kTreeRoom)),
      router_(router),
      cache_(std::move(cache)),
      headers_(std::move(headers)),
      listed_(listed),
      chunks_(std::move(executor), pool, std::move(router), std::move(listed)) {}

Decoder<RpcTreeSource::Told> RpcTreeSource::decoder(std::string tx_hash, TreeLimits limits) {
    return [tx_hash = std::move(tx_hash), limits](std::string body) -> base::Result<Told, std::string> {
        auto status = chain::decode_transaction_status_answer(std::move(body), chain::Parts::readable);
        if (!status) return refuse<Told>(status.error());
        const auto& value = status->value;
        const bool other = (value.transaction && value.transaction->hash != tx_hash) ||
                           (value.transaction_outcome && value.transaction_outcome->id != tx_hash);
        if (other) return refuse<Told>("asked for transaction " + tx_hash + ", got another one");
        Told told;
        told.missing = missing_bodies(value);
        if (auto why = too_much(value, told.missing); !why.empty()) return refuse<Told>(std::move(why));
        const bool is_proven =
            std::none_of(status->unreadable.begin(), status->unreadable.end(), is_of_proof);
        if (auto& conversion = status->value.transaction_outcome; conversion && is_proven)
            compute_root(*conversion);
        if (is_proven)
            for (auto& outcome : status->value.receipts_outcome) compute_root(outcome);
        told.complete = is_complete(value);
        told.beyond = beyond(value, limits);
        if (!told.beyond.empty()) told.digest = digest_of(value);
        told.unreadable = status->unreadable;
        told.status = std::move(*status);
        return told;
    };
}

base::Task<TreeSource::TreeResult> RpcTreeSource::tree(Query query) {
    auto aside = std::make_shared<Aside>();
    auto answer = co_await ask_by_any_method(query, aside);
    if (!answer) co_return without_outcome(answer.error(), std::move(aside->partial), query);
    Tree tree;
    tree.status = std::move(answer->value.status);
    tree.host = router_->hosts()[answer->host]->name();
    tree.complete = answer->value.complete;
    tree.room = std::move(answer->value.room);
    query.holds_room = query.holds_room || tree.room;
    if (tree.complete) co_await complete_bodies(tree, std::move(answer->value.missing), std::move(query));
    co_return std::move(tree);
}

base::Task<base::Result<Answer<RpcTreeSource::Told>, CallError>> RpcTreeSource::ask_by_any_method(
    Query query, std::shared_ptr<Aside> aside) {
    auto answer = co_await ask_for_status(kTreeMethods.front(), query, aside);
    for (std::size_t i = 1; i < kTreeMethods.size() && !answer && answer.error().method_missing; ++i)
        answer = co_await ask_for_status(kTreeMethods[i], query, aside);
    co_return answer;
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
        if (!told.room) aside->partial.emplace(std::move(told.status));
        return "no outcome of the transaction, only " + says;
    };
    auto answer = co_await decoded_call<Told>(*router_, pool_, call_for(method, query), std::move(decode),
                                              std::move(lacking));
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
        auto call = call_for(method, query);
        call.only_host = host;
        auto decode = decoder(query.tx_hash, limits_);
        auto answer = co_await decoded_call<Told>(*router_, pool_, std::move(call), std::move(decode));
        if (!answer || !answer->value.status.value.transaction_outcome) continue;
        const bool alike = !answer->value.beyond.empty() && !told.insert(answer->value.digest).second;
        if (answer->value.beyond.empty() || alike) co_return answer;
    }
    co_return std::move(error);
}

// Room is not waited for by who holds some: two who did so would wait for each other.
Call RpcTreeSource::call_for(std::string method, const Query& query) const {
    auto call = ask_transaction(std::move(method), query);
    if (!query.holds_room) call.request.room = room_;
    return call;
}

base::Task<void> RpcTreeSource::learn_limits(std::optional<Inclusion> at, Priority priority) {
    auto call = at ? ask_protocol_config(at->height, priority) : ask_protocol_config(priority);
    auto decode = tree_limits_decoder();
    const auto limits =
        co_await decoded_call<TreeLimits>(*router_, pool_, std::move(call), std::move(decode));
    if (limits) limits_ = limits->value;
}

base::Task<base::Result<chain::BlockRef, Unavailable>> RpcTreeSource::final_block(
    std::string hash, chain::BlockHeight final_height, Priority priority) {
    if (const auto* known = cache_->find(hash)) co_return *known;
    auto by_hash = block_with_hash(hash);
    auto told = co_await decoded_call<chain::BlockRef>(*router_, pool_, ask_block(hash, priority),
                                                       std::move(by_hash));
    if (!told && told.error().doubtful) co_return Unavailable{"DENIED_BY_ONE_HOST", told.error().detail};
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
    std::optional<Unavailable> refusal;
    if (headers_) refusal = co_await headers_->refusal(header, router_->hosts()[final->host]->name());
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
