// A part of an answer that cannot be read does not take the others with it: a newer protocol may have changed
// it, or the host is at fault. Private to the decoders.
//
// An action, the body of an executed receipt or a status is kept as {"Unreadable": what came}, which is read
// as an unknown kind. The outcome of a transaction in a whole block, a proof or a hash that hosts add is
// replaced by null. Where none of these is the fault's place, the transaction, receipt or outcome around it
// is left out.
#pragma once

#include "chain/json/decode_error.hpp"
#include "chain/json/document.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::chain::decoding {

inline constexpr std::string_view kUnreadable = "Unreadable";

struct WithoutPart {
    std::string json;
    UnreadablePart part;
};

// A text, in quotes, that no host can know.
std::string new_mark();

// The document's text without the part in which the fault lies: `mark` stands in the place of an element that
// is left out. nullopt: nothing can be read without that part.
std::optional<WithoutPart> without_part(Document& document, const DecodeError& fault, std::string_view mark);

}  // namespace receiptd::chain::decoding
