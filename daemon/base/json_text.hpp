// Writes JSON where no library for it may be used: log lines, evidence, answers put together from texts
// that are JSON already.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace receiptd::base {

// The text between the quotes: one line, whatever it holds.
void append_escaped(std::string& out, std::string_view text);
void append_quoted(std::string& out, std::string_view text);

// An object whose members keep the order in which they came.
class JsonObject {
public:
    JsonObject& text(std::string_view name, std::string_view value);
    JsonObject& number(std::string_view name, std::uint64_t value);
    JsonObject& json(std::string_view name, std::string_view value);  // must be JSON
    JsonObject& members_of(std::string_view object);                  // must be a JSON object without spaces
    std::string to_json() const { return "{" + members_ + "}"; }

private:
    void open(std::string_view name);
    std::string members_;
};

}  // namespace receiptd::base
