// Decides whether the configured accounts touch a transaction or receipt (follow.scope = "accounts").
#pragma once

#include "chain/rows/rows.hpp"

namespace receiptd::chain {

// It is named itself, or its signer is, its receiver, or somebody in whose name a Delegate action acts or on
// whom.
bool touches(const Scope& scope, const SignedTransaction& transaction);

// The predecessor or the receiver.
bool touches(const Scope& scope, const Receipt& receipt);

}  // namespace receiptd::chain
