#pragma once

#include "alert/sender.hpp"
#include "api/services.hpp"
#include "base/clock.hpp"
#include "config/settings.hpp"

#include <optional>
#include <string>

namespace receiptd::app {

// Sends an endpoint one message of type `test`; nullopt: `sender` does not serve it. All but the name outlive
// the call.
base::Task<std::optional<api::EndpointAnswer>> test_endpoint(alert::EndpointSender& sender,
                                                             const std::string& network,
                                                             const base::Clock& clock, std::string name);

// The same, from a command: in a context of its own, with the configured endpoint.
api::EndpointAnswer answer_of(const config::Settings& settings, const config::Endpoint& endpoint);
// "answered 200 in 12 ms", "did not answer: connection refused".
std::string in_words(const api::EndpointAnswer& answer);

}  // namespace receiptd::app
