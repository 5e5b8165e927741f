// A place in a list that is ordered by time. Pure.
#pragma once

#include <optional>
#include <string>

namespace receiptd::storage {

// Written "TIME,REST".
struct TimeCursor {
    std::string time;  // as iso() writes it; digits in the right places, though it need not exist
    std::string rest;  // not empty
};
std::optional<TimeCursor> parse_time_cursor(const std::string& text);

}  // namespace receiptd::storage
