// Recomputes a block's hash from the header that a host shows (proofs.md §5).
#pragma once

#include "chain/json/document.hpp"
#include "chain/json/model.hpp"
#include "chain/wire/hash.hpp"

namespace receiptd::chain {

// The newest protocol whose header is known to be one of the forms below. A header of a newer one that fits
// none of them is of an unknown form; up to this one it is different.
inline constexpr std::uint32_t kNewestKnownHeader = 87;

// `header`: of a block in that document, whose arena takes strings with escapes. About 0.05 ms. Does not
// throw on whatever a host shows.
HeaderHash header_hash(Document& document, const BlockHeader& header);

// A hash of what is stored of the header: two hosts show the same header where they are equal, in whatever
// form their JSON is.
CryptoHash stored_part(const BlockHeader& header);
// The roots by which a header commits to its chunks (covers_chunks()), as one text; they are not stored.
std::string chunk_roots(const BlockHeader& header);

}  // namespace receiptd::chain
