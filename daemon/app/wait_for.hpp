// A command that waits for one task.
#pragma once

#include "base/coroutine.hpp"

#include <optional>
#include <type_traits>
#include <utility>

namespace receiptd::app {

// Runs a task on this thread; what it throws is rethrown.
void run_to_its_end(base::Task<void> task);

template <class T>
base::Task<void> keep_value(base::Task<T> task, std::optional<T>& value) {
    auto made = co_await std::move(task);
    value.emplace(std::move(made));
}

template <class T>
T wait_for(base::Task<T> task) {
    if constexpr (std::is_void_v<T>) {
        run_to_its_end(std::move(task));
    } else {
        std::optional<T> value;
        run_to_its_end(keep_value(std::move(task), value));
        return std::move(*value);
    }
}

}  // namespace receiptd::app
