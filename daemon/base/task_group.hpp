// Several coroutines that live and end together: spawn them, cancel them, wait for all of them.
#pragma once

#include "base/task.hpp"

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>

namespace receiptd::base {

class TaskGroup {
public:
    // `on_failure`: told of every task that fails, at once; being cancelled is no failure.
    explicit TaskGroup(asio::any_io_executor executor,
                       std::function<void(const std::exception_ptr&)> on_failure = {});
    TaskGroup(const TaskGroup&) = delete;
    TaskGroup& operator=(const TaskGroup&) = delete;
    ~TaskGroup();

    void spawn(Task<void> task);
    // Every task is interrupted at its next suspension; join() waits until they have ended.
    void cancel();
    // Waits for all tasks; rethrows the first failure (being cancelled is none).
    Task<void> join();

    bool failed() const;
    std::size_t running() const;

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

}  // namespace receiptd::base
