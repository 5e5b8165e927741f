// What receipts did, as what alert rules match, and as it is told.
#pragma once

#include "chain/tree/happening.hpp"
#include "rule/subject.hpp"

#include <string>
#include <string_view>

namespace receiptd::storage {

// The accounts behind a transaction; empty: not known.
struct AskedBy {
    std::string signer_id;
    std::string user_id;  // empty, too: the signer
};
// `asked`: for what the happening does not know of its transaction. The subject views both.
rule::Subject subject_of(const chain::Happening& happening, const AskedBy& asked);
rule::Subject subject_of(const chain::Happening& happening);
// An object with all that a message says of it (alert/payload.cpp). Contracts' texts are shortened.
std::string told_of(const chain::Happening& happening, const rule::Subject& subject);

}  // namespace receiptd::storage
