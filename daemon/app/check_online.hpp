// What `receiptd check-config --online` asks of everything that the configuration names.
#pragma once

#include "config/settings.hpp"

#include <string>
#include <vector>

namespace receiptd::app {

struct OnlineCheck {
    enum class Result { ok, warning, failed };
    std::string subject;  // "upstream regular", "database", "endpoint ops"
    Result result = Result::ok;
    std::string detail;  // for people; of others' texts visible ones only
};

// `test_endpoints`: each endpoint is sent a test message; else none is asked.
std::vector<OnlineCheck> check_online(const config::Settings& settings, bool test_endpoints);
const char* to_string(OnlineCheck::Result result);

}  // namespace receiptd::app
