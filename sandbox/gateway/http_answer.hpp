#pragma once

#include <string>

namespace receiptd::sandbox {

struct HttpAnswer {
    int status = 200;
    const char* content_type = "application/json";
    std::string body;
};

}  // namespace receiptd::sandbox
