#include "base/event.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace receiptd::base {
namespace {

Task<void> sleep_for(asio::any_io_executor executor, std::chrono::nanoseconds delay) {
    asio::steady_timer timer(executor);
    co_await sleep_on(timer, delay);
}

}  // namespace

Task<void> wait_for(Event& event, asio::any_io_executor executor, std::chrono::nanoseconds delay) {
    using asio::experimental::awaitable_operators::operator||;
    auto slept = sleep_for(executor, delay);
    auto notified = event.wait();
    auto either = std::move(slept) || std::move(notified);
    co_await std::move(either);
}

}  // namespace receiptd::base
