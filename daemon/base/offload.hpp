// offload(): run a blocking or CPU-heavy function elsewhere and come back with its value.
#pragma once

#include "base/coroutine.hpp"

#include <boost/asio/thread_pool.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace receiptd::base {

namespace detail {

// A function that is called on another thread. Its type is known to CallOf alone: Asio is compiled once for
// all functions, and the awaiting coroutine once for each type of value.
class Call {
public:
    Call() = default;
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    virtual ~Call() = default;
    virtual void make() noexcept = 0;
};

// The value or exception of a call, carried between threads by value.
template <class R>
struct Landing {
    std::exception_ptr error;
    std::optional<std::conditional_t<std::is_void_v<R>, std::monostate, R>> value;
};

template <class F, class R>
class CallOf final : public Call {
public:
    CallOf(F&& f, std::shared_ptr<Landing<R>> landing) : f_(std::move(f)), landing_(std::move(landing)) {}

    void make() noexcept override {
        try {
            if constexpr (std::is_void_v<R>) {
                f_();
                landing_->value.emplace();
            } else {
                landing_->value.emplace(f_());
            }
        } catch (...) {
            landing_->error = std::current_exception();
        }
    }

private:
    F f_;
    std::shared_ptr<Landing<R>> landing_;
};

// Makes the call on a thread of `pool`, where it also ends, and resumes the awaiting coroutine on its own
// executor.
Task<void> make_on(asio::thread_pool& pool, std::unique_ptr<Call> call);

template <class R>
Task<R> value_of(asio::thread_pool& pool, std::unique_ptr<Call> call, std::shared_ptr<Landing<R>> landing) {
    co_await make_on(pool, std::move(call));
    if (landing->error) std::rethrow_exception(landing->error);
    if constexpr (!std::is_void_v<R>) co_return std::move(*landing->value);
}

}  // namespace detail

// Runs f on `pool` and resumes the awaiting coroutine on its own executor with f's value; what f
// throws is rethrown there. f must own everything it touches. Cancelling does not interrupt f.
template <class F>
Task<std::invoke_result_t<F&>> offload(asio::thread_pool& pool, F f) {
    using R = std::invoke_result_t<F&>;
    auto landing = std::make_shared<detail::Landing<R>>();
    // NOLINTNEXTLINE(modernize-make-unique): it would be compiled for each function.
    std::unique_ptr<detail::Call> call(new detail::CallOf<F, R>(std::move(f), landing));
    return detail::value_of<R>(pool, std::move(call), std::move(landing));
}

}  // namespace receiptd::base
