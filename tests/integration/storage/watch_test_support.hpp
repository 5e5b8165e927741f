// A store of watches beside an open store.
#pragma once

#include "chain/wire/base58.hpp"
#include "storage/pg_watch_store.hpp"
#include "store_test_support.hpp"

#include <array>
#include <string>
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
