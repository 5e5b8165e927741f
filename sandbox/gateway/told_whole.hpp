// Whole blocks as a service tells them that leaves something out, tells it again, or is of another age.
#pragma once

#include "sandbox/gateway/chain.hpp"
#include "sandbox/gateway/lies.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {

// Puts the lies about whole blocks into a true one of this chain.
void retell_whole(Lies& lies, const Chain& chain, nlohmann::json& block);

}  // namespace receiptd::sandbox
