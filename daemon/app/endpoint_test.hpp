#pragma once

#include "alert/sender.hpp"
#include "api/services.hpp"
#include "base/clock.hpp"

#include <optional>
#include <string>

namespace receiptd::app {

// Sends an endpoint one message of type `test`; nullopt: `sender` does not serve it. All but the name outlive
// the call.
base::Task<std::optional<api::EndpointAnswer>> test_endpoint(alert::EndpointSender& sender,
                                                             const std::string& network,
                                                             const base::Clock& clock, std::string name);

}  // namespace receiptd::app
