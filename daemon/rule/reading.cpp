#include "rule/reading.hpp"

#include "base/nearest.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace receiptd::rule {
namespace {

constexpr std::size_t kMostItems = 1'000;

std::string_view type_name(const JsonNode& node) {
    switch (node.type) {
        case JsonNode::Type::table: return "a table";
        case JsonNode::Type::list: return "a list";
        case JsonNode::Type::text: return "a text";
        case JsonNode::Type::number: return "a number";
        case JsonNode::Type::boolean: return "a boolean";
        case JsonNode::Type::null: break;
    }
    return "null";
}

std::string quoted_choices(std::span<const std::string_view> choices) {
    std::string text;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (i > 0) text += i + 1 == choices.size() ? " or " : ", ";
        text += '"' + std::string(choices[i]) + '"';
    }
    return text;
}

std::string meant(std::string_view word, const std::vector<std::string_view>& known) {
    const auto near = base::nearest(word, known);
    return near ? "; did you mean \"" + std::string(*near) + "\"?" : "";
}

}  // namespace

void Reading::wrong_type(const std::string& path, const JsonNode& node, std::string_view wanted) {
    fault(path, "must be " + std::string(wanted) + ", not " + std::string(type_name(node)));
}

void Reading::unknown_key(const std::string& path, std::string_view key, std::string_view of,
                          const std::vector<std::string_view>& known) {
    fault(path, "is no key of " + std::string(of) + meant(key, known));
}

bool Reading::count_condition(const std::string& path) {
    if (conditions_ > kMostConditions) return false;
    if (++conditions_ <= kMostConditions) return true;
    fault(path, "is one condition too many: a rule has at most " + std::to_string(kMostConditions));
    return false;
}

void Reading::each(const std::string& path, const JsonNode& node,
                   const std::function<void(const std::string&, const JsonNode&)>& read) {
    if (node.type != JsonNode::Type::list) return read(path, node);
    if (!document.first(node)) return fault(path, "must not be an empty list: it could never hold");
    std::size_t index = 0;
    std::set<std::pair<JsonNode::Type, std::string>> seen;
    for (const auto* item = document.first(node); item; item = document.next(*item)) {
        const auto at = path + "[" + std::to_string(index) + "]";
        if (index++ == kMostItems) return fault(at, "is one item too many: write a [[list]] and name it");
        const bool comparable = item->type == JsonNode::Type::text || item->type == JsonNode::Type::number;
        if (comparable && !seen.emplace(item->type, item->text).second)
            fault(at, "stands in the list twice: \"" + item->text + "\"");
        else
            read(at, *item);
    }
}

void Reading::each_member(const std::string& path, const JsonNode& table,
                          const std::function<void(const std::string&, const JsonNode&)>& read) {
    std::set<std::string_view> seen;
    for (const auto* member = document.first(table); member; member = document.next(*member)) {
        const auto at = path + "." + member->name;
        if (seen.insert(member->name).second)
            read(at, *member);
        else
            fault(at, "stands in its table twice");
    }
}

std::vector<std::string> Reading::read_choices(const std::string& path, const JsonNode& node,
                                               std::span<const std::string_view> choices) {
    std::vector<std::string> chosen;
    each(path, node, [&](const std::string& at, const JsonNode& item) {
        if (item.type != JsonNode::Type::text) return wrong_type(at, item, quoted_choices(choices));
        if (std::find(choices.begin(), choices.end(), item.text) == choices.end())
            return fault(at, "must be " + quoted_choices(choices) + ", not \"" + item.text.substr(0, 80) +
                                 '"' + meant(item.text, {choices.begin(), choices.end()}));
        chosen.push_back(item.text);
    });
    return chosen;
}

FlagTest Reading::read_flags(const std::string& path, const JsonNode& node, Field field) {
    FlagTest test{.field = field};
    each(path, node, [&](const std::string& at, const JsonNode& item) {
        if (item.type != JsonNode::Type::boolean) return wrong_type(at, item, "true or false");
        (item.flag ? test.allows_true : test.allows_false) = true;
    });
    return test;
}

Actions Reading::read_actions(const std::string& path, const JsonNode& node) {
    static const auto names = [] {
        std::vector<std::string_view> all;
        for (auto i = 0U; i <= static_cast<unsigned>(Action::unknown); ++i)
            all.push_back(action_name(static_cast<Action>(i)));
        return all;
    }();
    Actions actions = 0;
    for (const auto& name : read_choices(path, node, names)) actions |= bit(*parse_action(name));
    return actions;
}

}  // namespace receiptd::rule
