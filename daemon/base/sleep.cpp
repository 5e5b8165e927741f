#include "base/sleep.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace receiptd::base {

Task<void> sleep_on(asio::steady_timer& timer, std::chrono::nanoseconds delay) {
    boost::system::error_code ignored;
    timer.expires_after(std::chrono::duration_cast<std::chrono::steady_clock::duration>(delay));
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

}  // namespace receiptd::base
