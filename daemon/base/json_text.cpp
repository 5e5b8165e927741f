#include "base/json_text.hpp"

namespace receiptd::base {

void append_escaped(std::string& out, std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (byte < 0x20 || byte == 0x7f) {
            out += "\\u00";
            out += kHex[byte >> 4];
            out += kHex[byte & 15];
        } else {
            out += c;
        }
    }
}

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    append_escaped(out, text);
    out += '"';
}

void JsonObject::open(std::string_view name) {
    if (!members_.empty()) members_ += ',';
    append_quoted(members_, name);
    members_ += ':';
}

JsonObject& JsonObject::text(std::string_view name, std::string_view value) {
    open(name);
    append_quoted(members_, value);
    return *this;
}

JsonObject& JsonObject::number(std::string_view name, std::uint64_t value) {
    return json(name, std::to_string(value));
}

JsonObject& JsonObject::json(std::string_view name, std::string_view value) {
    open(name);
    members_ += value;
    return *this;
}

JsonObject& JsonObject::members_of(std::string_view object) {
    const auto members = object.size() > 2 ? object.substr(1, object.size() - 2) : std::string_view();
    if (!members.empty() && !members_.empty()) members_ += ',';
    members_ += members;
    return *this;
}

}  // namespace receiptd::base
