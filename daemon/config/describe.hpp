// The documents made from the key table.
#pragma once

#include <string>

namespace receiptd::config {

std::string describe_keys_markdown();  // docs/configuration.md
std::string example_toml();            // docs/receiptd.example.toml

}  // namespace receiptd::config
