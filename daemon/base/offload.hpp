// offload(): run a blocking or CPU-heavy function elsewhere and come back with its value.
#pragma once

#include "base/coroutine.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace receiptd::base {

namespace detail {

// The value or exception of f, carried between threads by value.
template <class R>
struct Landing {
    std::exception_ptr error;
    std::optional<std::conditional_t<std::is_void_v<R>, std::monostate, R>> value;
};

template <class F, class Outcome = Landing<std::invoke_result_t<F&>>>
Task<Outcome> run_on(asio::thread_pool& pool, F f) {
    return asio::async_initiate<const asio::use_awaitable_t<>, void(Outcome)>(
        [&pool](auto handler, F work) {
            auto home = asio::get_associated_executor(handler);
            asio::post(pool, [work = std::move(work), handler = std::move(handler),
                              stay = asio::make_work_guard(home)]() mutable {
                Outcome outcome;
                try {
                    if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
                        work();
                        outcome.value.emplace();
                    } else {
                        outcome.value.emplace(work());
                    }
                } catch (...) {
                    outcome.error = std::current_exception();
                }
                asio::post(stay.get_executor(),
                           [handler = std::move(handler), outcome = std::move(outcome)]() mutable {
                               std::move(handler)(std::move(outcome));
                           });
            });
        },
        asio::use_awaitable, std::move(f));
}

}  // namespace detail

// Runs f on `pool` and resumes the awaiting coroutine on its own executor with f's value; what f
// throws is rethrown there. f must own everything it touches. Cancelling does not interrupt f.
template <class F>
Task<std::invoke_result_t<F&>> offload(asio::thread_pool& pool, F f) {
    auto outcome = co_await detail::run_on(pool, std::move(f));
    if (outcome.error) std::rethrow_exception(outcome.error);
    if constexpr (!std::is_void_v<std::invoke_result_t<F&>>) co_return std::move(*outcome.value);
}

}  // namespace receiptd::base
