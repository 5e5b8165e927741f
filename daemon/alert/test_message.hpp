// A message that nothing has caused: people see by it whether an endpoint takes what is sent. Pure.
#pragma once

#include "alert/sender.hpp"
#include "base/clock.hpp"

#include <string>

namespace receiptd::alert {

// The message has the type `test`; its id tells its time.
Message test_message(std::string endpoint, const std::string& network, base::WallTime now);

}  // namespace receiptd::alert
