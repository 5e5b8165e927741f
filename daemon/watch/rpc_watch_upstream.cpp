#include "watch/rpc_watch_upstream.hpp"

#include "base/coroutine.hpp"
#include "base/offload.hpp"
#include "chain/rows/rows.hpp"

#include <memory>
#include <set>
#include <utility>

namespace receiptd::watch {
namespace {

std::optional<storage::FoundTransaction> found_in(const chain::TransactionStatus& status,
                                                  const rpc::FinalBlocks& blocks) {
    if (!status.transaction || !status.transaction_outcome) return std::nullopt;
    const auto block = blocks.find(status.transaction_outcome->block_hash);
    if (block == blocks.end()) return std::nullopt;
    storage::FoundTransaction found;
    found.tx_hash = status.transaction->hash;
    found.height = block->second.height;
    found.timestamp_nanosec = block->second.timestamp_nanosec;
    found.rows = chain::found_transaction_rows(*status.transaction, block->second);
    return found;
}

// A node that has executed the block tells the outcome with any level above NONE.
WatchUpstream::NotKnown without_outcome(const chain::TransactionStatus& status) {
    const auto level = status.final_execution_status;
    if (level == "NONE") return {"no host that was asked tracks its shard", WatchUpstream::Word::none};
    return {"a host says " + std::string(level) + ", and none tells its outcome",
            WatchUpstream::Word::in_a_chunk};
}

WatchUpstream::Known known_of(const rpc::TreeSource::Tree& tree, const rpc::FinalBlocks& blocks) {
    const auto& status = tree.status.value;
    WatchUpstream::Known known;
    known.found = found_in(status, blocks);
    known.seen = chain::tree_seen_so_far(rpc::judge_final(tree, blocks, std::nullopt));
    if (status.transaction) known.seen.signer_id = status.transaction->signer_id;
    known.host = tree.host;
    return known;
}

using SharedTree = std::shared_ptr<const rpc::TreeSource::Tree>;

base::Task<WatchUpstream::Known> know_on(base::asio::thread_pool& cpu, SharedTree tree,
                                         rpc::FinalBlocks blocks) {
    auto& of_tree = tree->cpu(cpu);
    return base::offload(
        of_tree, [tree = std::move(tree), blocks = std::move(blocks)] { return known_of(*tree, blocks); });
}

}  // namespace

base::Task<WatchUpstream::TreeAnswer> RpcWatchUpstream::tree(std::string tx_hash, std::string sender_id,
                                                             chain::BlockHeight final_height) {
    rpc::TreeSource::Query query;
    query.tx_hash = std::move(tx_hash);
    query.sender_id = std::move(sender_id);
    auto answer = co_await trees_.tree(std::move(query));
    const auto* unknown = std::get_if<rpc::TreeSource::Unknown>(&answer);
    if (unknown && unknown->doubtful) co_return NoAnswer{"one host alone denies it: " + unknown->evidence};
    if (unknown) co_return NotKnown{unknown->evidence};
    if (const auto* fault = std::get_if<rpc::Unavailable>(&answer))
        co_return NoAnswer{fault->reason + ": " + fault->detail};
    auto& tree = std::get<rpc::TreeSource::Tree>(answer);
    if (!tree.status.value.transaction_outcome) co_return without_outcome(tree.status.value);
    const rpc::BlockLimits final_ones{final_height};
    auto blocks = co_await rpc::blocks_of(trees_, tree.status.value, rpc::Priority::watch, final_ones);
    const auto told = SharedTree(std::make_shared<rpc::TreeSource::Tree>(std::move(tree)));
    auto known = co_await know_on(cpu_, told, std::move(blocks));
    if (known.seen.settled_at) co_await confirm(known, *told);
    co_return known;
}

// The end of a tree is the word of two hosts, where two are configured.
base::Task<void> RpcWatchUpstream::confirm(Known& known, const rpc::TreeSource::Tree& tree) {
    rpc::TreeSource::Query query;
    query.tx_hash = tree.status.value.transaction_outcome->id;
    if (tree.status.value.transaction) query.sender_id = tree.status.value.transaction->signer_id;
    query.elsewhere_than = tree.host;
    query.holds_room = true;
    const auto answer = co_await trees_.tree(std::move(query));
    const auto* other = std::get_if<rpc::TreeSource::Tree>(&answer);
    if (other == nullptr || other->host == tree.host) co_return;  // no other one has a word
    known.seen.confirmed = rpc::tell_the_same(tree.status.value, other->status.value);
    if (known.seen.confirmed) co_return;
    known.seen.settled_at.reset();
    known.seen.completed_at.reset();
    known.seen.verdict.reset();
}

base::Task<std::optional<WatchUpstream::Sender>> RpcWatchUpstream::sender(SenderQuestion question) {
    rpc::FinalKeys::Query query;
    query.account_id = std::move(question.account_id);
    query.public_key = std::move(question.public_key);
    query.nonce_index = question.nonce_index;
    query.own_nonce = question.own_nonce;
    const auto key = co_await keys_.key(std::move(query));
    if (!key) co_return std::nullopt;
    Sender sender;
    sender.nonce = key->nonce;
    sender.height = key->height;
    sender.has_no_account = key->has_no_account;
    if (!key->nonce) sender.key_missing_at = key->height;
    const std::set<std::string> hosts(key->hosts.begin(), key->hosts.end());
    for (const auto& host : hosts) sender.hosts += (sender.hosts.empty() ? "" : ", ") + host;
    co_return sender;
}

}  // namespace receiptd::watch
