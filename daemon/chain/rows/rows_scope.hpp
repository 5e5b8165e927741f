// Decides whether the configured accounts touch a transaction or receipt (follow.scope = "accounts").
#pragma once

#include "chain/rows/rows.hpp"

namespace receiptd::chain {

// It is named itself, or its signer is, its receiver, or somebody in whose name a Delegate action acts or on
// whom.
bool touches(const Scope& scope, const SignedTransaction& transaction);

// The predecessor or the receiver.
bool touches(const Scope& scope, const Receipt& receipt);

// Data that ends a yield without a resume. It is stored whosever it is: which transaction made the yield is
// not known until it runs, and by source rpc not even then.
bool is_timeout(const Receipt& data);

}  // namespace receiptd::chain
