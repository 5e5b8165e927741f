#include "rule/json_path.hpp"

#include <charconv>
#include <optional>
#include <span>

namespace receiptd::rule {
namespace {

constexpr std::size_t kLargestIndex = 99'999;

std::optional<std::size_t> parse_index(std::string_view text) {
    std::size_t index = 0;
    const auto* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, index);
    if (text.empty() || read.ec != std::errc() || read.ptr != end || index > kLargestIndex)
        return std::nullopt;
    return index;
}

// Takes `["..."]` off the front; a quote and a backslash within are written behind a backslash.
std::optional<std::string> take_quoted(std::string_view& text) {
    std::string name;
    for (std::size_t at = 2; at < text.size(); ++at) {
        if (text[at] == '"') {
            if (!text.substr(at + 1).starts_with(']')) return std::nullopt;
            text.remove_prefix(at + 2);
            return name;
        }
        if (text[at] == '\\' && ++at == text.size()) return std::nullopt;
        name += text[at];
    }
    return std::nullopt;
}

// Takes "[...]" off the front.
std::optional<JsonStep> take_brackets(std::string_view& text) {
    if (text.starts_with("[\"")) {
        auto name = take_quoted(text);
        if (!name) return std::nullopt;
        return JsonStep(std::move(*name));
    }
    const auto close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    const auto inside = text.substr(1, close - 1);
    text.remove_prefix(close + 1);
    if (inside == "*") return JsonStep(EachItem{});
    const auto index = parse_index(inside);
    if (!index) return std::nullopt;
    return JsonStep(*index);
}

std::optional<JsonStep> take_name(std::string_view& text) {
    const auto end = std::min(text.find_first_of(".[]\""), text.size());
    const auto name = text.substr(0, end);
    text.remove_prefix(end);
    if (name.empty()) return std::nullopt;
    return JsonStep(std::string(name));
}

bool any_below(const JsonDocument& document, const JsonNode& from, std::span<const JsonStep> path,
               const std::function<bool(const JsonNode&)>& test) {
    if (path.empty()) return test(from);
    const auto rest = path.subspan(1);
    if (const auto* name = std::get_if<std::string>(&path.front())) {
        const auto* node = document.member(from, *name);
        return node && any_below(document, *node, rest, test);
    }
    if (const auto* index = std::get_if<std::size_t>(&path.front())) {
        const auto* node = document.item(from, *index);
        return node && any_below(document, *node, rest, test);
    }
    if (from.type != JsonNode::Type::list) return false;
    for (const auto* node = document.first(from); node; node = document.next(*node))
        if (any_below(document, *node, rest, test)) return true;
    return false;
}

}  // namespace

base::Result<JsonPath, std::string> parse_path(std::string_view text) {
    if (text.empty()) return std::string("must not be empty");
    if (text.size() > kLongestPath) return std::string("must not be longer than 256 characters");
    JsonPath path;
    while (!text.empty()) {
        const bool dot = !path.empty() && text.front() == '.';
        if (dot) text.remove_prefix(1);
        const bool brackets = !dot && text.starts_with('[');
        auto step = brackets ? take_brackets(text) : dot || path.empty() ? take_name(text) : std::nullopt;
        if (!step)
            return std::string(
                "must be a path of names, [0] and [*], such as \"[*].amount\" or \"msg.pools[0].id\"");
        path.push_back(std::move(*step));
    }
    if (path.size() > kMostSteps) return std::string("must not have more than 16 steps");
    return path;
}

bool any_at(const JsonDocument& document, const JsonNode& from, const JsonPath& path,
            const std::function<bool(const JsonNode&)>& test) {
    return any_below(document, from, path, test);
}

}  // namespace receiptd::rule
