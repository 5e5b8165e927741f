// Finds members and elements in JSON text without building a tree: recorded blocks are served as
// they came, so what is needed is where things stand in the text, not their values.
//
// The text must be valid JSON as a whole; functions throw std::invalid_argument where they meet
// something else, but do not look for it. All views point into the text given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace receiptd::sandbox::json_text {

struct Member {
    std::string_view name;   // as written, without quotes
    std::string_view value;  // without surrounding space
};

// Position just behind the value that starts at or after `at` (leading space is skipped).
std::size_t skip_value(std::string_view text, std::size_t at);

std::vector<Member> members(std::string_view object);
std::optional<std::string_view> member(std::string_view object, std::string_view name);
// The member, or throws std::invalid_argument that names it.
std::string_view require(std::string_view object, std::string_view name);
std::vector<std::string_view> elements(std::string_view array);

inline bool is_null(std::string_view value) { return value == "null"; }
inline bool is_string(std::string_view value) { return !value.empty() && value.front() == '"'; }
inline bool is_object(std::string_view value) { return !value.empty() && value.front() == '{'; }
inline bool is_array(std::string_view value) { return !value.empty() && value.front() == '['; }

// Between the quotes, escapes untouched (hashes and account ids have none); empty if no string.
std::string_view string_body(std::string_view value);
std::optional<std::uint64_t> number(std::string_view value);

// Levels of arrays and objects within each other that are read; serde_json has the same bound. A parser
// takes seconds for a body of nothing but brackets.
inline constexpr std::size_t kDeepestNesting = 127;
bool is_too_deep(std::string_view text);

// Calls `visit` with the name and the value of every member, in all depths.
void for_each_member(std::string_view value,
                     const std::function<void(std::string_view name, std::string_view value)>& visit);

// Calls `visit` with the body of every string in the text, names of members included.
void for_each_string(std::string_view text, const std::function<void(std::string_view)>& visit);

}  // namespace receiptd::sandbox::json_text
