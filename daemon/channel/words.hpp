// Title and text of a message, from the templates of its endpoint. Pure.
//
// A template is Mustache and makes plain text: {{name}} is a value of the message, {{#name}}…{{/name}} stands
// where the value is there, or for each item of a list ({{.}}), {{^name}}…{{/name}} where it is not.
#pragma once

#include "channel/notice.hpp"
#include "channel/settings.hpp"

#include <optional>
#include <string>

namespace receiptd::channel {

struct Words {
    std::string title;  // one line, not empty
    std::string text;   // lines; may be empty
};

extern const char* const kDefaultTitle;
extern const char* const kDefaultText;

// Why it cannot be used, as the end of a sentence; nullopt: it can.
std::optional<std::string> template_fault(const std::string& text);

// Plain text; the channel escapes it and cuts it.
Words fill(const Settings& settings, const Notice& notice);

}  // namespace receiptd::channel
