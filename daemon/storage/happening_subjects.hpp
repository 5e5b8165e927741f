// What receipts did, as what alert rules match, and as it is told.
#pragma once

#include "chain/tree/happening.hpp"
#include "rule/subject.hpp"

#include <string>
#include <string_view>

namespace receiptd::storage {

// `user_id`: where the happening does not know that of its transaction. The subject views both.
rule::Subject subject_of(const chain::Happening& happening, std::string_view user_id = {});
// An object with all that a message says of it (alert/payload.cpp). Contracts' texts are shortened.
std::string told_of(const chain::Happening& happening, const rule::Subject& subject);

}  // namespace receiptd::storage
