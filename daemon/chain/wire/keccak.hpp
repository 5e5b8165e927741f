// Keccak-256 (Ethereum's padding) and SHA3-256, for the account ids and key handles derived by
// them (encoding.md §2, §3). Short inputs, so no attention to speed.
#pragma once

#include "chain/wire/hash.hpp"

namespace receiptd::chain {

CryptoHash keccak256(ByteView bytes);
CryptoHash sha3_256(ByteView bytes);

}  // namespace receiptd::chain
