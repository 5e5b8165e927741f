#include "rule/canonical.hpp"

#include "base/json_text.hpp"

#include <algorithm>
#include <vector>

namespace receiptd::rule {
namespace {

constexpr std::size_t kDeepestJson = 64;

// False: it is deeper than any rule.
bool append_canonical(const JsonDocument& document, const JsonNode& node, std::string& out,
                      std::size_t depth) {
    if (depth > kDeepestJson) return false;
    switch (node.type) {
        case JsonNode::Type::null: out += "null"; return true;
        case JsonNode::Type::boolean: out += node.flag ? "true" : "false"; return true;
        case JsonNode::Type::number: out += node.text; return true;
        case JsonNode::Type::text: base::append_quoted(out, node.text); return true;
        default: break;
    }
    const bool is_table = node.type == JsonNode::Type::table;
    std::vector<const JsonNode*> children;
    for (const auto* child = document.first(node); child; child = document.next(*child))
        children.push_back(child);
    if (is_table)
        std::stable_sort(children.begin(), children.end(),
                         [](const auto* a, const auto* b) { return a->name < b->name; });
    out += is_table ? '{' : '[';
    for (const auto* child : children) {
        if (child != children.front()) out += ',';
        if (is_table) {
            base::append_quoted(out, child->name);
            out += ':';
        }
        if (!append_canonical(document, *child, out, depth + 1)) return false;
    }
    out += is_table ? '}' : ']';
    return true;
}

// The members of one table that another one has not, or not so.
std::string members_beside(const JsonDocument& document, const JsonDocument& other) {
    std::string text;
    for (const auto* member = document.first(document.root()); member; member = document.next(*member)) {
        const auto value = canonical(document, *member);
        const auto* twin = other.member(other.root(), member->name);
        if (twin && canonical(other, *twin) == value) continue;
        text += (text.empty() ? "" : ", ") + member->name + " = " + value.value_or("");
    }
    return text.empty() ? "absent" : text;
}

}  // namespace

std::optional<std::string> canonical(const JsonDocument& document, const JsonNode& node) {
    std::string text;
    if (!append_canonical(document, node, text, 0)) return std::nullopt;
    return text;
}

std::pair<std::string, std::string> difference(std::string_view before, std::string_view after) {
    const auto was = JsonDocument::parse(before);
    const auto is = JsonDocument::parse(after);
    if (!was || !is) return {std::string(before), std::string(after)};
    return {members_beside(*was, *is), members_beside(*is, *was)};
}

}  // namespace receiptd::rule
