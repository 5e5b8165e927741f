// The hosts of `check-config --online`: each is asked alone, as `run` would ask it.
#pragma once

#include "app/check_online.hpp"

namespace receiptd::app {

std::vector<OnlineCheck> check_hosts(const config::Settings& settings);

}  // namespace receiptd::app
