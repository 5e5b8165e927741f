// A store in memory, a chain that answers as it is told, and signed transactions.
#pragma once

#include "base/event.hpp"
#include "base/sleep.hpp"
#include "base/task_group.hpp"
#include "sandbox/sim/secret_key.hpp"
#include "watch/submitter.hpp"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::watch::testing {

namespace wire = chain::wire;

class FakeTime final : public rpc::TimeAndChance {
public:
    base::SteadyTime now() const override { return base::SteadyTime(std::chrono::hours(1)) + passed; }
    base::WallTime wall() const override {
        return base::WallTime(std::chrono::seconds(1'700'000'000)) + passed;
    }
    base::Task<void> sleep(base::asio::steady_timer&, base::Duration delay) override {
        passed += delay;
        co_return;
    }
    double chance() override { return 0; }
    base::Duration passed{};
};

class Rows final : public storage::WatchStore {
public:
    Rows(const base::asio::any_io_executor& executor, FakeTime& time) : time_(time), back_(executor) {}

    base::Task<std::vector<std::string>> add_watches(std::vector<storage::NewWatch> watches) override {
        std::vector<std::string> fresh;
        for (const auto& each : watches) {
            if (!each.idempotency_key.empty() && keys.contains(each.idempotency_key) &&
                keys[each.idempotency_key] != each.tx_hash)
                continue;
            if (const auto row = rows.find(each.tx_hash);
                row != rows.end() && !row->second.signed_tx_base64.empty()) {
                if (row->second.metadata_json.empty()) row->second.metadata_json = each.metadata_json;
                if (row->second.traceparent.empty()) row->second.traceparent = each.traceparent;
                const auto has_one = std::any_of(keys.begin(), keys.end(),
                                                 [&](const auto& key) { return key.second == each.tx_hash; });
                if (!each.idempotency_key.empty() && !has_one) give_key(each);
                continue;
            }
            if (!rows.contains(each.tx_hash)) fresh.push_back(each.tx_hash);
            auto& row = rows[each.tx_hash];
            row.tx_hash = row.transaction.tx_hash = each.tx_hash;
            row.sender_id = each.sender_id;
            row.origin = each.origin;
            row.signed_tx_base64 = each.signed_tx_base64;
            row.public_key = each.public_key;
            row.transaction.nonce_index = each.nonce_index;
            row.transaction.nonce = each.nonce;
            row.transaction.valid_until = each.valid_until;
            row.transaction.block_hash = each.block_hash;
            row.transaction.block_hash_height = each.block_hash_height;
            row.created_at = time_.wall();
            if (row.metadata_json.empty()) row.metadata_json = each.metadata_json;
            if (row.traceparent.empty()) row.traceparent = each.traceparent;
            if (!each.idempotency_key.empty()) give_key(each);
        }
        co_return fresh;
    }
    base::Task<bool> remove_watch(std::string tx_hash) override { co_return rows.erase(tx_hash) > 0; }
    base::Task<bool> replace_ended(storage::NewWatch watch, chain::Stage ended) override {
        const auto row = rows.find(watch.tx_hash);
        if (row == rows.end() || row->second.state.stage != ended) co_return false;
        if (!row->second.idempotency_key.empty()) watch.idempotency_key = row->second.idempotency_key;
        if (!row->second.metadata_json.empty()) watch.metadata_json = row->second.metadata_json;
        if (watch.traceparent.empty()) watch.traceparent = row->second.traceparent;
        rows.erase(row);
        std::vector<storage::NewWatch> one{std::move(watch)};
        co_await add_watches(std::move(one));
        co_return true;
    }
    base::Task<std::optional<storage::Watch>> watch(std::string tx_hash) override {
        if (away) co_await back_.wait();
        const auto found = rows.find(tx_hash);
        co_return found == rows.end() ? std::nullopt : std::optional(found->second);
    }
    base::Task<std::vector<storage::Watch>> watches(std::vector<std::string> tx_hashes) override {
        std::vector<storage::Watch> found;
        for (const auto& tx_hash : tx_hashes)
            if (const auto row = rows.find(tx_hash); row != rows.end()) found.push_back(row->second);
        co_return found;
    }
    base::Task<std::optional<storage::Watch>> watch_by_idempotency_key(std::string key) override {
        const auto found = keys.find(key);
        co_return found == keys.end() ? std::nullopt : std::optional(rows.at(found->second));
    }
    base::Task<std::vector<storage::OpenSubmission>> open_submissions(base::WallTime since, std::string after,
                                                                      unsigned limit) override {
        std::vector<storage::OpenSubmission> page;
        for (const auto& [tx_hash, row] : rows)
            if (std::pair(row.created_at, tx_hash) > std::pair(since, after) &&
                row.state.stage <= chain::Stage::pending && page.size() < limit)
                page.push_back({tx_hash, row.state.stage, row.created_at});
        co_return page;
    }
    base::Task<std::vector<std::string>> update_watches(std::vector<storage::WatchUpdate> updates) override {
        std::vector<std::string> lost;
        for (const auto& update : updates) {
            auto& row = rows.at(update.tx_hash);
            if (row.state.stage != update.from) {
                lost.push_back(update.tx_hash);
                continue;
            }
            row.state = update.state;
            row.certainty = chain::certainty(row.state, row.transaction.valid_until);
            if (update.objection) row.transaction.objection = *update.objection;
            for (const auto& transition : update.transitions) evidence.push_back(transition.evidence);
        }
        co_return lost;
    }

    base::Task<std::vector<storage::Watch>> list_watches(storage::WatchFilter) override { return none(); }
    base::Task<std::vector<storage::Watch>> open_watches(std::string, unsigned) override { return none(); }
    base::Task<std::vector<storage::Watch>> lost_watches(std::uint64_t, std::string, unsigned) override {
        return none();
    }
    base::Task<void> make_wanted_watches() override { co_return; }
    base::Task<std::vector<storage::Watch>> new_watches(unsigned) override { return none(); }
    base::Task<bool> wait_for_watches(std::chrono::milliseconds) override { co_return false; }
    base::Task<std::vector<storage::Watch>> watches_since(base::WallTime, std::string, unsigned) override {
        return none();
    }
    base::Task<std::vector<storage::StoredTransition>> transitions(std::string) override {
        co_return std::vector<storage::StoredTransition>{};
    }
    base::Task<std::map<std::string, storage::StoredTree>> stored_trees(std::vector<std::string>) override {
        co_return std::map<std::string, storage::StoredTree>{};
    }
    base::Task<std::optional<std::string>> tree_of(std::string) override { co_return std::nullopt; }

    bool away = false;  // nobody gets an answer
    std::map<std::string, storage::Watch> rows;
    std::map<std::string, std::string> keys;
    std::vector<std::string> evidence;

private:
    void give_key(const storage::NewWatch& to) {
        keys[to.idempotency_key] = to.tx_hash;
        rows.at(to.tx_hash).idempotency_key = to.idempotency_key;
    }
    static base::Task<std::vector<storage::Watch>> none() { co_return std::vector<storage::Watch>{}; }
    FakeTime& time_;
    base::Event back_;
};

using Opinion = rpc::SubmitSource::Opinion;
inline Opinion no_objection(std::string host) { return {std::move(host), Opinion::Says::no_objection, {}}; }
inline Opinion objects(std::string host, std::string error_json) {
    return {std::move(host), Opinion::Says::objects, std::move(error_json)};
}
inline Opinion has_it(std::string host) { return {std::move(host), Opinion::Says::on_chain, {}}; }
inline Opinion tracks_nothing(std::string host) { return {std::move(host), Opinion::Says::nothing, {}}; }
inline Opinion silent(std::string host) { return {std::move(host), Opinion::Says::silent, {}}; }

class FakeChain final : public rpc::SubmitSource {
public:
    FakeChain() {
        chain::BlockRef block;
        block.height = 1'000;
        facts.block = block;
        facts.head = block;
    }

    Told<std::optional<chain::BlockRef>> block(std::string) override {
        if (coming && --block_comes_at == 0) facts.block = coming;
        return told(facts.block);
    }
    Told<chain::BlockRef> final_head() override { return told(facts.head); }
    // The opinions of before anything was sent, then those of after.
    base::Task<std::vector<Opinion>> opinions(std::string, std::string, std::string, rpc::Priority) override {
        co_return sent.empty() ? before : after;
    }
    Told<std::uint64_t> validity_blocks() override { return told(facts.validity_blocks); }
    base::Task<Broadcast> broadcast(std::string signed_tx_base64, std::string tx_hash,
                                    rpc::Priority) override {
        if (on_broadcast) on_broadcast(tx_hash);
        sent.push_back(signed_tx_base64);
        co_return answer;
    }

    ChainFacts facts;
    std::vector<Opinion> before = {no_objection("regular")};
    std::vector<Opinion> after = {no_objection("regular")};
    bool away = false;
    // Known when it is asked for the n-th time.
    std::optional<chain::BlockRef> coming;
    int block_comes_at = 0;
    Broadcast answer = Sent{"regular"};
    std::vector<std::string> sent;
    std::function<void(const std::string& tx_hash)> on_broadcast;

private:
    template <class T>
    base::Task<base::Result<T, rpc::Unavailable>> told(T value) {
        if (away) co_return rpc::Unavailable{"timeout", "regular: timeout"};
        co_return base::Result<T, rpc::Unavailable>(std::move(value));
    }
};

inline sandbox::sim::SecretKey alice_key() {
    return *sandbox::sim::SecretKey::from_seed(chain::KeyType::ed25519, chain::Bytes(32, 7));
}

inline wire::Transaction transfer(std::uint64_t nonce = 6, chain::u128 amount = 1) {
    wire::Transaction transaction;
    transaction.signer_id = "alice.near";
    transaction.public_key = alice_key().public_key();
    transaction.nonce.nonce = nonce;
    transaction.receiver_id = "bob.near";
    transaction.actions.push_back({wire::Transfer{amount}});
    return transaction;
}

inline std::string signed_bytes(const wire::Transaction& transaction) {
    wire::SignedTransaction signed_transaction;
    signed_transaction.transaction = transaction;
    signed_transaction.signature = alice_key().sign(wire::transaction_hash(transaction).bytes);
    const auto bytes = wire::encode(signed_transaction);
    return std::string(bytes.begin(), bytes.end());
}

inline SubmitRequest request_for(const wire::Transaction& transaction, std::string key = {}) {
    SubmitRequest request;
    request.bytes = signed_bytes(transaction);
    request.idempotency_key = std::move(key);
    return request;
}

}  // namespace receiptd::watch::testing
