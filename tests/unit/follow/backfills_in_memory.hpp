// Orders of backfills in memory, on a clock of its own, as one process at a time sees them.
#pragma once

#include "base/clock.hpp"
#include "base/coroutine.hpp"
#include "storage/backfill_store.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::follow::testing {

class ManualClock final : public base::Clock {
public:
    base::WallTime wall() const override { return base::WallTime(std::chrono::hours(3)) + passed; }
    base::SteadyTime steady() const override { return base::SteadyTime(std::chrono::hours(1)) + passed; }
    base::Duration passed{};
};

class BackfillsInMemory : public storage::BackfillStore {
public:
    base::Task<storage::BackfillProgress> claim_backfill(base::HeightRange range) override {
        return claim({range});
    }
    base::Task<storage::BackfillProgress> claim_fill(base::HeightRange range,
                                                     std::vector<std::string> accounts) override {
        std::sort(accounts.begin(), accounts.end());
        return claim({range, std::move(accounts)});
    }
    base::Task<storage::BackfillProgress> claim_reindex(base::HeightRange range) override {
        return claim({range, {}, true});
    }
    base::Task<std::vector<storage::BackfillProgress>> claim_abandoned_backfills() override {
        std::vector<storage::BackfillProgress> claimed;
        for (auto& [id, backfill] : backfills) {
            if (backfill.finished || !is_free(backfill) || backfill.owner == process) continue;
            if (claimed.size() == 2) break;
            lease(backfill);
            claimed.push_back(progress_of(id, backfill, backfill.range, false));
        }
        co_return claimed;
    }
    base::Task<void> renew_backfill(std::int64_t id) override {
        if (auto& backfill = backfills.at(id); backfill.owner == process) lease(backfill);
        co_return;
    }
    base::Task<void> finish_backfill(std::int64_t id) override {
        backfills.at(id).finished = true;
        backfills.at(id).owner = 0;
        co_return;
    }
    base::Task<void> release_backfill(std::int64_t id) override {
        if (auto& backfill = backfills.at(id); backfill.owner == process) backfill.owner = 0;
        co_return;
    }

    struct Backfill {
        base::HeightRange range;
        std::vector<std::string> accounts = {};
        bool replaces = false;
        bool finished = false;
        unsigned owner = 0;  // 0: none
        base::WallTime lease_until{};
    };

    ManualClock clock;
    unsigned process = 1;  // that asks
    std::map<std::int64_t, Backfill> backfills;

private:
    base::Task<storage::BackfillProgress> claim(Backfill order) {
        auto found = std::find_if(backfills.begin(), backfills.end(), [&](const auto& each) {
            const auto& [range, accounts, replaces, finished, owner, until] = each.second;
            const bool wider = (!order.accounts.empty() || order.replaces) &&
                               range.from <= order.range.from && range.to >= order.range.to;
            return (range == order.range || wider) && accounts == order.accounts &&
                   replaces == order.replaces && !finished;
        });
        const auto range = order.range;
        if (found == backfills.end())
            found =
                backfills.emplace(static_cast<std::int64_t>(backfills.size()) + 1, std::move(order)).first;
        auto& [id, backfill] = *found;
        const bool taken = !is_free(backfill) && backfill.owner != process;
        if (!taken) lease(backfill);
        co_return progress_of(id, backfill, backfill.replaces ? backfill.range : range, taken);
    }
    virtual base::HeightSet missing_of(base::HeightRange range) const = 0;
    storage::BackfillProgress progress_of(std::int64_t id, const Backfill& backfill, base::HeightRange range,
                                          bool leased) const {
        storage::BackfillProgress progress;
        progress.id = id;
        progress.range = range;
        progress.accounts = backfill.accounts;
        progress.replaces = backfill.replaces;
        if (backfill.accounts.empty() && !backfill.replaces) progress.missing = missing_of(range);
        progress.leased = leased;
        return progress;
    }

    bool is_free(const Backfill& backfill) const {
        return backfill.owner == 0 || backfill.lease_until < clock.wall();
    }
    void lease(Backfill& backfill) const {
        backfill.owner = process;
        backfill.lease_until = clock.wall() + std::chrono::seconds(30);
    }
};

}  // namespace receiptd::follow::testing
