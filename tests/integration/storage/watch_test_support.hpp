// A store of watches beside an open store.
#pragma once

#include "chain/wire/base58.hpp"
#include "storage/pg_watch_store.hpp"
#include "store_test_support.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace receiptd::test {

using chain::Stage;
using storage::NewWatch;
using storage::Watch;
using storage::WatchUpdate;

// A hash of its own for each number, in the order of the numbers.
inline std::string hash_of(std::uint32_t number) {
    std::array<std::uint8_t, 32> bytes{};
    bytes.fill(0x55);
    for (int i = 0; i < 4; ++i)
        bytes[static_cast<std::size_t>(i) + 1] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
    return chain::base58_encode(bytes);
}

inline NewWatch new_watch(std::uint32_t number, const std::string& sender = "alice.near") {
    NewWatch watch;
    watch.tx_hash = hash_of(number);
    watch.sender_id = sender;
    return watch;
}

inline chain::ExecutedAt executed_at(base::Height height) {
    return {height, kFirstTime + height % 1000 * 1'000'000'000};
}

// One step from a stage to another.
inline WatchUpdate step_update(const std::string& tx_hash, Stage from, Stage to) {
    WatchUpdate update;
    update.tx_hash = tx_hash;
    update.from = from;
    update.state.stage = to;
    if (from != to) update.transitions.push_back({from, to, std::nullopt, R"({"host":"a"})"});
    return update;
}

// The update of a watch, as it is stored, by an observation.
inline WatchUpdate observed(const Watch& watch, const chain::Observation& observation) {
    auto update = storage::update_of(watch);
    update.transitions = chain::step(update.state, watch.transaction, observation, {});
    return update;
}
inline chain::SeenEarly seen_early(const std::string& block_hash, base::Height height) {
    return {{executed_at(height), block_hash}, "regular"};
}
inline chain::TreeSeen included_at(base::Height height) {
    chain::TreeSeen seen;
    seen.included_at = executed_at(height);
    return seen;
}

// Ends a session that writes watches once a round, each time at another moment of its work. Not more often:
// who is quicker than a transaction lets none pass.
class KillerOfWriters {
public:
    explicit KillerOfWriters(const std::string& url)
        : connection_(quiet_connection(url)), thread_([this] { kill_each_round(); }) {}
    KillerOfWriters(const KillerOfWriters&) = delete;
    KillerOfWriters& operator=(const KillerOfWriters&) = delete;
    ~KillerOfWriters() { end(); }

    void next_round() {
        ++round_;
        round_.notify_all();
    }
    std::uint32_t killed() const { return killed_; }
    void end() {
        if (!thread_.joinable()) return;
        ended_ = true;
        next_round();
        thread_.join();
    }

private:
    void kill_each_round() {
        std::mt19937 chance(7);
        for (std::uint32_t seen = 0; !ended_;) {
            round_.wait(seen);
            seen = round_;
            std::this_thread::sleep_for(std::chrono::microseconds(chance() % 3'000));
            while (!ended_ && seen == round_ && !kill_one()) std::this_thread::yield();
        }
    }
    bool kill_one() {
        const auto hit = pqxx::nontransaction(*connection_)
                             .exec(
                                 "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "
                                 "current_database() AND pid <> pg_backend_pid() AND query LIKE '%watch%' "
                                 "AND application_name = 'receiptd'")
                             .size();
        killed_ += static_cast<std::uint32_t>(hit);
        return hit > 0;
    }

    std::unique_ptr<pqxx::connection> connection_;
    std::atomic<std::uint32_t> round_{0}, killed_{0};
    std::atomic<bool> ended_{false};
    std::thread thread_;
};

class WatchStoreTest : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        watches_ = std::make_unique<storage::PgWatchStore>(store().database, store().clock);
    }
    void TearDown() override {
        watches_.reset();
        StoreTest::TearDown();
    }

    storage::PgWatchStore& watches() { return *watches_; }
    std::vector<std::string> add(std::vector<NewWatch> list) {
        return await(watches().add_watches(std::move(list)));
    }
    std::vector<std::string> update(WatchUpdate one) {
        std::vector<WatchUpdate> list;
        list.push_back(std::move(one));
        return await(watches().update_watches(std::move(list)));
    }

private:
    std::unique_ptr<storage::PgWatchStore> watches_;
};

}  // namespace receiptd::test
