// Is a text JSON that PostgreSQL takes and can work with?
//
// PostgreSQL's `json` keeps the text as it is, but `->>` on a row whose text has the escape \u0000
// or half a surrogate pair fails the whole query, so such texts are told apart here. Numbers may
// have any size (contracts write 128-bit integers without quotes, which simdjson's DOM refuses).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::chain {

struct JsonCheck {
    bool valid = false;  // RFC 8259, UTF-8, at most 1024 levels deep
    // Only for valid ones:
    bool nul_escape = false;        // \u0000
    bool surrogate_escape = false;  // \ud800 … \udfff, paired or not
    bool lone_surrogate = false;

    // Every JSON operator of PostgreSQL works on it.
    bool queryable() const { return valid && !nul_escape && !lone_surrogate; }
};

JsonCheck check_json(std::string_view text);

// A valid text with other escapes where PostgreSQL cannot take its own apart, as text columns have it: \u2400
// (a picture of NUL) for \u0000, \ufffd for half a surrogate pair. It is as long as the text, so places stay.
std::string queryable_json(std::string_view valid);

// A JSON text in the form in which the database can store it.
class StorableJson {
public:
    explicit StorableJson(std::string_view given);
    StorableJson(const StorableJson&) = delete;
    StorableJson& operator=(const StorableJson&) = delete;

    std::optional<std::string_view> text;  // nullopt: it is no JSON
    bool is_changed() const { return !changed_.empty(); }

private:
    std::string changed_;
};

}  // namespace receiptd::chain
