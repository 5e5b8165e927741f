#include "app/endpoint_test.hpp"

#include "alert/test_message.hpp"
#include "base/coroutine.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <chrono>
#include <cmath>
#include <utility>

namespace receiptd::app {

base::Task<std::optional<api::EndpointAnswer>> test_endpoint(alert::EndpointSender& sender,
                                                             const std::string& network,
                                                             const base::Clock& clock, std::string name) {
    if (!sender.serves(name)) co_return std::nullopt;
    auto message = alert::test_message(std::move(name), network, clock.wall());
    const auto began = clock.steady();
    const auto answer = co_await sender.post(std::move(message));
    api::EndpointAnswer told;
    told.accepted = answer.accepted();
    told.status = answer.status;
    told.error = answer.error;
    told.body = answer.body;
    told.seconds = std::chrono::duration<double>(clock.steady() - began).count();
    co_return told;
}

api::EndpointAnswer answer_of(const config::Settings& settings, const config::Endpoint& endpoint) {
    boost::asio::io_context context{1};
    const base::SystemClock clock;
    alert::EndpointSender sender(context.get_executor(), {endpoint}, clock);
    auto answer = boost::asio::co_spawn(
        context, test_endpoint(sender, settings.network, clock, endpoint.name), boost::asio::use_future);
    while (answer.wait_for(std::chrono::seconds(0)) != std::future_status::ready && context.run_one() > 0) {
    }
    return *answer.get();
}

std::string in_words(const api::EndpointAnswer& answer) {
    if (answer.status <= 0) return "did not answer: " + answer.error;
    return "answered " + std::to_string(answer.status) + " in " +
           std::to_string(std::lround(answer.seconds * 1000)) + " ms" +
           (answer.accepted ? "" : ": only 2xx counts as taken");
}

}  // namespace receiptd::app
