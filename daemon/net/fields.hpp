// Small rules of HTTP text: names, values, dates, percent-encoding.
#pragma once

#include "net/http_client.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::net {

// The value of the first header of that name; empty if absent.
std::string_view find_header(const std::vector<Header>& headers, std::string_view name);
// Is `word` one of the comma-separated words of a header's value?
bool lists_word(std::string_view value, std::string_view word);

bool is_request_target(std::string_view text);  // visible ASCII that starts with '/'

// nullopt for a broken escape or a NUL.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);

// RFC 9110 §5.6.7: "Sun, 06 Nov 1994 08:49:37 GMT"
std::string http_date(std::chrono::system_clock::time_point time);
std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text);

}  // namespace receiptd::net
