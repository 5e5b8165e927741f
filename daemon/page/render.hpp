// HTML from templates and values. Pure.
//
// A template is Mustache: {{name}} is a text, {{#name}}…{{/name}} stands for each item of a list, or once
// where the value is there, {{^name}}…{{/name}} where it is not, {{> other}} is another template. There are
// values that are neither null nor false, nor an empty text, nor an empty list. Every text is escaped, in
// attributes with quotes too, and what could hide or turn text is made visible (base/visible.hpp); only
// {{{body}}} and
// {{{svg}}}, which this program has written, stand as they are.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace receiptd::page {

using Json = nlohmann::ordered_json;

// Fills templates/<name>.mustache. Throws std::logic_error where there is no such template, or it is broken.
std::string render(std::string_view name, const Json& values);

}  // namespace receiptd::page
