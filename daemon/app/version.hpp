#pragma once

#include <string>

namespace receiptd::app {

// The commit of the sources that this program was built from: 12 hexadecimal digits, with "+changes" where
// something was not committed; "unknown" without a repository.
extern const char* const kCommit;

// "0.1.0 (0123456789ab)".
std::string version_and_commit();

}  // namespace receiptd::app
