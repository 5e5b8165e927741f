#include "sandbox/gateway/json_text.hpp"

#include <charconv>
#include <cstring>
#include <stdexcept>
#include <string>

namespace receiptd::sandbox::json_text {

namespace {

[[noreturn]] void broken(const char* what) { throw std::invalid_argument(std::string("JSON: ") + what); }

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::size_t skip_space(std::string_view text, std::size_t at) {
    while (at < text.size() && is_space(text[at])) ++at;
    return at;
}

char at_or_end(std::string_view text, std::size_t at) { return at < text.size() ? text[at] : '\0'; }

// `at` is the opening quote; gives the position behind the closing one.
std::size_t skip_string(std::string_view text, std::size_t at) {
    for (++at; at < text.size(); ++at) {
        if (text[at] == '\\')
            ++at;
        else if (text[at] == '"')
            return at + 1;
    }
    broken("string without end");
}

std::size_t skip_nested(std::string_view text, std::size_t at) {
    std::size_t depth = 0;
    while (at < text.size()) {
        const char c = text[at];
        if (c == '"') {
            at = skip_string(text, at);
            continue;
        }
        if (c == '{' || c == '[') ++depth;
        if ((c == '}' || c == ']') && --depth == 0) return at + 1;
        ++at;
    }
    broken("object or array without end");
}

std::size_t skip_scalar(std::string_view text, std::size_t at) {
    const std::size_t begin = at;
    while (at < text.size() && !is_space(text[at]) && !std::strchr(",]}:", text[at])) ++at;
    if (at == begin) broken("value expected");
    return at;
}

// Behind the comma, or behind the closing bracket with `done` set.
std::size_t next_item(std::string_view text, std::size_t at, char close, bool& done) {
    at = skip_space(text, at);
    const char c = at_or_end(text, at);
    if (c != ',' && c != close) broken("comma or closing bracket expected");
    done = c == close;
    return at + 1;
}

// Calls take(name, value) until it returns false.
template <class Take>
void walk_object(std::string_view object, Take take) {
    std::size_t at = skip_space(object, 0);
    if (at_or_end(object, at) != '{') broken("object expected");
    at = skip_space(object, at + 1);
    bool done = at_or_end(object, at) == '}';
    while (!done) {
        at = skip_space(object, at);
        if (at_or_end(object, at) != '"') broken("name expected");
        const std::size_t name_end = skip_string(object, at);
        const std::string_view name = object.substr(at + 1, name_end - at - 2);
        at = skip_space(object, name_end);
        if (at_or_end(object, at) != ':') broken("colon expected");
        const std::size_t begin = skip_space(object, at + 1);
        const std::size_t end = skip_value(object, begin);
        if (!take(name, object.substr(begin, end - begin))) return;
        at = next_item(object, end, '}', done);
    }
}

}  // namespace

std::size_t skip_value(std::string_view text, std::size_t at) {
    at = skip_space(text, at);
    switch (at_or_end(text, at)) {
        case '"': return skip_string(text, at);
        case '{':
        case '[': return skip_nested(text, at);
        default: return skip_scalar(text, at);
    }
}

std::vector<Member> members(std::string_view object) {
    std::vector<Member> found;
    walk_object(object, [&](std::string_view name, std::string_view value) {
        found.push_back({name, value});
        return true;
    });
    return found;
}

std::optional<std::string_view> member(std::string_view object, std::string_view name) {
    std::optional<std::string_view> found;
    walk_object(object, [&](std::string_view each, std::string_view value) {
        if (each == name) found = value;
        return !found;
    });
    return found;
}

std::string_view require(std::string_view object, std::string_view name) {
    if (const auto value = member(object, name)) return *value;
    throw std::invalid_argument("JSON: member `" + std::string(name) + "` is missing");
}

std::vector<std::string_view> elements(std::string_view array) {
    std::vector<std::string_view> found;
    std::size_t at = skip_space(array, 0);
    if (at_or_end(array, at) != '[') broken("array expected");
    at = skip_space(array, at + 1);
    bool done = at_or_end(array, at) == ']';
    while (!done) {
        const std::size_t begin = skip_space(array, at);
        const std::size_t end = skip_value(array, begin);
        found.push_back(array.substr(begin, end - begin));
        at = next_item(array, end, ']', done);
    }
    return found;
}

std::string_view string_body(std::string_view value) {
    return value.size() >= 2 && value.front() == '"' ? value.substr(1, value.size() - 2) : std::string_view();
}

std::optional<std::uint64_t> number(std::string_view value) {
    std::uint64_t result = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
    if (error != std::errc() || end != value.data() + value.size()) return std::nullopt;
    return result;
}

void for_each_member(std::string_view value,
                     const std::function<void(std::string_view name, std::string_view value)>& visit) {
    if (is_array(value)) {
        for (const auto element : elements(value)) for_each_member(element, visit);
    } else if (is_object(value)) {
        for (const auto& [name, inner] : members(value)) {
            visit(name, inner);
            for_each_member(inner, visit);
        }
    }
}

void for_each_string(std::string_view text, const std::function<void(std::string_view)>& visit) {
    std::size_t at = 0;
    while ((at = text.find('"', at)) != std::string_view::npos) {
        const std::size_t end = skip_string(text, at);
        visit(text.substr(at + 1, end - at - 2));
        at = end;
    }
}

bool is_too_deep(std::string_view text) {
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\')
                ++i;
            else
                in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kDeepestNesting) return true;
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
    return false;
}

}  // namespace receiptd::sandbox::json_text
