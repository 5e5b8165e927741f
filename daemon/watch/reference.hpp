// A transaction or receipt as people name it: by its hash, or by the address of an explorer's page. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::watch {

struct Reference {
    std::string id;         // of a transaction or a receipt: base58 of 32 bytes
    std::string sender_id;  // empty: the address does not tell it
};

// An address names an id in its path or its query; of several, as of a transaction with one of its receipts,
// the first counts. nullopt: there is no id in it.
std::optional<Reference> parse_reference(std::string_view text);

// What a text that is no id may be, for people: " (a signature, or …)". Empty: nothing that is known here.
std::string_view what_else(std::string_view text);

}  // namespace receiptd::watch
