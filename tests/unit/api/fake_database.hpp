#pragma once

#include "base/coroutine.hpp"
#include "base/event.hpp"
#include "storage/errors.hpp"

namespace receiptd::api::testing {

// How a database behaves: it answers, never does, takes too long, or refuses.
struct Database {
    explicit Database(const base::asio::any_io_executor& executor) : never(executor) {}
    base::Task<void> ask() {
        ++questions;
        if (stopped) throw storage::StorageStopped();
        if (slow) throw storage::StorageTimeout("the database took too long over it: ask for less");
        if (broken) throw storage::StorageError("permission denied for the secret table");
        while (away) co_await never.wait();
    }
    base::Event never;
    bool away = false;
    bool stopped = false;
    bool broken = false;
    bool slow = false;
    int questions = 0;
};

}  // namespace receiptd::api::testing
