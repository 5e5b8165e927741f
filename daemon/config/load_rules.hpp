// Only what alert rules need of a configuration, so that a draft of rules can be checked by itself.
#pragma once

#include "config/load.hpp"

#include <string>

namespace receiptd::config {

enum class ListFiles {
    read,
    left_alone,  // their lists are empty
};

// Reads [[rule]], [[list]], [[endpoint]] and [follow], any of which may be missing, and passes over the other
// sections; secrets are not read. The settings hold nothing else.
Loaded load_rules_file(const std::string& path);
Loaded load_rules_text(std::string_view toml, const std::string& file_name,
                       ListFiles files = ListFiles::read);

}  // namespace receiptd::config
