// The store of watches and the hosts that are asked, with steps that fail.
#pragma once

#include "rpc/submit_source.hpp"
#include "storage/watch_store.hpp"
#include "support/fault_steps.hpp"
#include "watch/watch_upstream.hpp"

#include <utility>

namespace receiptd::watch::testing {

class FaultyWatches final : public storage::WatchStore {
public:
    FaultyWatches(storage::WatchStore& store, test::Steps& steps) : store_(store), steps_(steps) {}

    using Watches = std::vector<storage::Watch>;
    base::Task<std::vector<std::string>> add_watches(std::vector<storage::NewWatch> watches) override {
        return steps_.take(store_.add_watches(std::move(watches)));
    }
    base::Task<bool> remove_watch(std::string tx_hash) override {
        return steps_.take(store_.remove_watch(std::move(tx_hash)));
    }
    base::Task<bool> replace_ended(storage::NewWatch watch, chain::Stage ended) override {
        return steps_.take(store_.replace_ended(std::move(watch), ended));
    }
    base::Task<std::optional<storage::Watch>> watch(std::string tx_hash) override {
        return steps_.take(store_.watch(std::move(tx_hash)));
    }
    base::Task<Watches> watches(std::vector<std::string> tx_hashes) override {
        return steps_.take(store_.watches(std::move(tx_hashes)));
    }
    base::Task<std::optional<storage::Watch>> watch_by_idempotency_key(std::string key) override {
        return steps_.take(store_.watch_by_idempotency_key(std::move(key)));
    }
    base::Task<Watches> list_watches(storage::WatchFilter filter) override {
        return steps_.take(store_.list_watches(std::move(filter)));
    }
    base::Task<Watches> open_watches(std::string after, unsigned limit) override {
        return steps_.take(store_.open_watches(std::move(after), limit));
    }
    base::Task<Watches> lost_watches(std::uint64_t validity_blocks, std::string after,
                                     unsigned limit) override {
        return steps_.take(store_.lost_watches(validity_blocks, std::move(after), limit));
    }
    base::Task<void> make_wanted_watches() override { return steps_.take(store_.make_wanted_watches()); }
    base::Task<Watches> new_watches(unsigned limit) override {
        return steps_.take(store_.new_watches(limit));
    }
    base::Task<bool> wait_for_watches(std::chrono::milliseconds timeout) override {
        return steps_.take(store_.wait_for_watches(timeout));
    }
    base::Task<Watches> watches_since(base::WallTime since, std::string after, unsigned limit) override {
        return steps_.take(store_.watches_since(since, std::move(after), limit));
    }
    base::Task<std::vector<storage::OpenSubmission>> open_submissions(base::WallTime since, std::string after,
                                                                      unsigned limit) override {
        return steps_.take(store_.open_submissions(since, std::move(after), limit));
    }
    base::Task<std::vector<std::string>> update_watches(std::vector<storage::WatchUpdate> updates) override {
        return steps_.take(store_.update_watches(std::move(updates)));
    }
    base::Task<std::vector<storage::StoredTransition>> transitions(std::string tx_hash) override {
        return steps_.take(store_.transitions(std::move(tx_hash)));
    }
    base::Task<std::map<std::string, storage::StoredTree>> stored_trees(
        std::vector<std::string> tx_hashes) override {
        return steps_.take(store_.stored_trees(std::move(tx_hashes)));
    }
    base::Task<std::optional<std::string>> tree_of(std::string id) override {
        return steps_.take(store_.tree_of(std::move(id)));
    }

private:
    storage::WatchStore& store_;
    test::Steps& steps_;
};

class FaultyHosts final : public WatchUpstream {
public:
    FaultyHosts(WatchUpstream& hosts, test::Steps& steps) : hosts_(hosts), steps_(steps) {}

    base::Task<TreeAnswer> tree(std::string tx_hash, std::string sender_id,
                                chain::BlockHeight final_height) override {
        NoAnswer none{"a step fails"};
        return steps_.take(hosts_.tree(std::move(tx_hash), std::move(sender_id), final_height), none);
    }
    base::Task<std::optional<bool>> holds_blocks(base::HeightRange heights) override {
        return steps_.take(hosts_.holds_blocks(heights), std::nullopt);
    }
    base::Task<std::optional<Sender>> sender(SenderQuestion question) override {
        return steps_.take(hosts_.sender(std::move(question)), std::nullopt);
    }

private:
    WatchUpstream& hosts_;
    test::Steps& steps_;
};

class FaultyNodes final : public rpc::SubmitSource {
public:
    FaultyNodes(rpc::SubmitSource& nodes, test::Steps& steps) : nodes_(nodes), steps_(steps) {}

    Told<std::optional<chain::BlockRef>> block(std::string hash) override {
        return steps_.take(nodes_.block(std::move(hash)), timeout());
    }
    base::Task<std::vector<Opinion>> opinions(std::string signed_tx_base64, std::string tx_hash,
                                              std::string sender_id, rpc::Priority priority) override {
        return steps_.take(
            nodes_.opinions(std::move(signed_tx_base64), std::move(tx_hash), std::move(sender_id), priority),
            std::vector<Opinion>());
    }
    Told<chain::BlockRef> final_head() override { return steps_.take(nodes_.final_head(), timeout()); }
    Told<std::uint64_t> validity_blocks() override {
        return steps_.take(nodes_.validity_blocks(), timeout());
    }
    base::Task<Broadcast> broadcast(std::string signed_tx_base64, std::string tx_hash,
                                    rpc::Priority priority) override {
        NotSent none{"a step fails"};
        return steps_.take(nodes_.broadcast(std::move(signed_tx_base64), std::move(tx_hash), priority), none);
    }

private:
    static rpc::Unavailable timeout() { return {"timeout", "a step fails"}; }

    rpc::SubmitSource& nodes_;
    test::Steps& steps_;
};

}  // namespace receiptd::watch::testing
