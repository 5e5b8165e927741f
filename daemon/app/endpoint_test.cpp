#include "app/endpoint_test.hpp"

#include "alert/test_message.hpp"
#include "base/coroutine.hpp"

#include <chrono>
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

}  // namespace receiptd::app
