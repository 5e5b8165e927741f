// The description of every route for programs, in OpenAPI 3.1.
#pragma once

#include <string>
#include <vector>

namespace receiptd::api {

struct Document {
    std::string name;
    std::string text;
};

// Generated from openapi.json by cmake/embed_files.cmake: that one document.
const std::vector<Document>& documents();

}  // namespace receiptd::api
