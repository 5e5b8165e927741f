// A part of an answer that cannot be read does not take the others with it: a newer protocol may have changed
// it, or the host is at fault. Private to the decoders.
//
// An action, the body of a receipt or a status is kept as {"Unreadable": what came}, which is read as an
// unknown kind. The outcome of a transaction in a whole block, a proof or a hash that hosts add is replaced
// by null. Where none of these is the fault's place, the transaction, receipt or outcome around it is left
// out.
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

// The document's text without the part in which the fault lies; nullopt: nothing can be read without it.
std::optional<WithoutPart> without_part(Document& document, const DecodeError& fault);

}  // namespace receiptd::chain::decoding
