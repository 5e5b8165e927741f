// Arguments of function calls that people and SQL can read.
#pragma once

#include "chain/json/model.hpp"

#include <optional>

namespace receiptd::chain {

// The decoded arguments, where they are JSON without the escapes \u0000 and \ud800 … \udfff. Valid until the
// next call on this thread.
std::optional<Text> readable_args(Text base64);

}  // namespace receiptd::chain
