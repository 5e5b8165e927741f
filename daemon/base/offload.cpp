#include "base/offload.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace receiptd::base::detail {

Task<void> make_on(asio::thread_pool& pool, std::unique_ptr<Call> call) {
    return asio::async_initiate<const asio::use_awaitable_t<>, void()>(
        [&pool](auto handler, std::unique_ptr<Call> given) {
            auto home = asio::get_associated_executor(handler);
            asio::post(pool, [given = std::move(given), handler = std::move(handler),
                              stay = asio::make_work_guard(home)]() mutable {
                given->make();
                given.reset();
                asio::post(stay.get_executor(),
                           [handler = std::move(handler)]() mutable { std::move(handler)(); });
            });
        },
        asio::use_awaitable, std::move(call));
}

}  // namespace receiptd::base::detail
