// Whole blocks as a service tells them that leaves something out, or that is of another age.
#pragma once

#include "sandbox/gateway/lies.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {

// Puts the lies about whole blocks into a true one.
void retell_whole(Lies& lies, nlohmann::json& block);

}  // namespace receiptd::sandbox
