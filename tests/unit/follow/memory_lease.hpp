// The lease of the leader of a database in memory, as one process has it.
#pragma once

#include "storage/lease_store.hpp"
#include "unit/follow/memory_store.hpp"

#include <string>
#include <utility>

namespace receiptd::follow::testing {

class MemoryLease final : public storage::LeaseStore {
public:
    MemoryLease(MemoryStore& store, std::string process) : store_(store), process_(std::move(process)) {}

    base::Task<storage::Lease> hold(std::string gone) override {
        auto& leader = store_.leader;
        const auto now = store_.clock.wall();
        const bool is_free = leader.epoch == 0 || leader.until < now || leader.holder == gone;
        if (leader.holder != process_ && is_free) {
            ++leader.epoch;
            leader.holder = process_;
        }
        if (leader.holder == process_) leader.until = now + std::chrono::seconds(3);
        storage::Lease lease;
        lease.mine = leader.holder == process_;
        lease.epoch = leader.epoch;
        lease.holder = lease.place = lease.process = leader.holder;
        co_return lease;
    }
    base::Task<void> release() override {
        if (store_.leader.holder == process_) store_.leader.until = base::WallTime();
        co_return;
    }

private:
    MemoryStore& store_;
    std::string process_;
};

}  // namespace receiptd::follow::testing
