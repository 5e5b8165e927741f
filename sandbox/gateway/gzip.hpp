// Writes gzip (RFC 1952): the daemon only reads it.
#pragma once

#include <string>
#include <string_view>

namespace receiptd::sandbox {

std::string gzip(std::string_view plain);

}  // namespace receiptd::sandbox
