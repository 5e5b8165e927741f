// Gives storm control its settings from the configuration.
#pragma once

#include "config/settings.hpp"
#include "storm/settings.hpp"

namespace receiptd::alert {

storm::Settings storm_settings(const config::Endpoint& endpoint);

}  // namespace receiptd::alert
