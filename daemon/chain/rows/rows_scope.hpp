// Decides whether the configured accounts touch a transaction or receipt (follow.scope = "accounts").
#pragma once

#include "chain/rows/rows.hpp"

namespace receiptd::chain {

// It is named itself, or its signer is, its receiver, or somebody in whose name a Delegate action acts or on
// whom.
bool touches(const Scope& scope, const SignedTransaction& transaction);

// The predecessor or the receiver. Resumes of yields are stored whoever they touch: which transaction made
// the yield is not known until it runs, by source rpc not even then, and the first resume tells whether it
// timed out.
bool touches(const Scope& scope, const Receipt& receipt);

}  // namespace receiptd::chain
