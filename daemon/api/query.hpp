// Query parameters and path segments, checked: what a route does not know is refused, not passed over.
#pragma once

#include "api/problem.hpp"
#include "base/result.hpp"

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace receiptd::api {

inline constexpr unsigned kDefaultLimit = 100;
inline constexpr unsigned kLargestLimit = 1'000;

// The first fault wins; ask fault() before the values are used.
class Query {
public:
    Query(const net::ServerRequest& request, std::initializer_list<std::string_view> known);

    // The value as it came; empty: not given.
    std::string text(std::string_view name) const;
    // Checked; what is not given is empty, nullopt or the default.
    std::string hash(std::string_view name);
    std::string account(std::string_view name);
    std::string time(std::string_view name);
    std::optional<bool> flag(std::string_view name);
    std::optional<std::int64_t> number(std::string_view name);
    unsigned limit(unsigned most = kLargestLimit);
    bool wants_csv();  // format=csv
    // A cursor that begins with a time.
    std::string time_cursor(bool (*is_cursor)(const std::string&));

    void refuse(std::string_view name, std::string detail);
    const std::optional<Problem>& fault() const { return fault_; }

private:
    std::vector<net::QueryParameter> given_;
    std::optional<Problem> fault_;
};

// ISO 8601 as RFC 3339 has it: "2026-01-01T00:00:00Z", fractions and other offsets too. Fractions are left
// out.
std::optional<std::chrono::sys_seconds> parse_time(std::string_view text);
bool is_time(std::string_view text);
// ASCII without blanks and control characters.
bool is_printable(std::string_view text);
// In quotes, shortened.
std::string shown(std::string_view text);
// A whole number that is not negative.
std::optional<std::int64_t> parse_number(std::string_view text);

// 422 for a list that is asked for too much: what it lacks, and of which parameter.
Problem missing(std::string parameter, std::string detail);
// The same unless both times are given, and a day apart at most.
std::optional<Problem> no_short_time(const std::string& since, const std::string& until, std::string detail);

// 404 for a path whose segment can be nobody's hash.
Problem no_hash(std::string_view segment);

}  // namespace receiptd::api
