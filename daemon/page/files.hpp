// Files of this folder that travel inside the program.
#pragma once

#include <string>
#include <vector>

namespace receiptd::page {

struct File {
    std::string name;
    std::string text;
};

// Generated from templates/*.mustache and assets/* by cmake/embed_files.cmake, in name order.
const std::vector<File>& template_files();
const std::vector<File>& asset_files();

}  // namespace receiptd::page
