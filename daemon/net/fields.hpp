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

std::string http_date(std::chrono::system_clock::time_point time);  // RFC 9110 §5.6.7

}  // namespace receiptd::net
