// The hosts of `check-config --online`: each is asked alone, as `run` would ask it.
#pragma once

#include "app/check_online.hpp"
#include "base/height_set.hpp"

#include <optional>

namespace receiptd::app {

std::vector<OnlineCheck> check_hosts(const config::Settings& settings);

// The lowest that a host tells, so that no host makes it higher alone. nullopt: none tells its head.
std::optional<base::Height> lowest_head(const config::Settings& settings);

}  // namespace receiptd::app
