#include "rule/json_document.hpp"

#include "base/json_numbers.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace receiptd::rule {
namespace {

using Nlohmann = nlohmann::json;

// Makes nodes of the values that nlohmann reads; its parser does not recurse.
class NodeMaker final : public nlohmann::json_sax<Nlohmann> {
public:
    explicit NodeMaker(const std::vector<std::string_view>& numbers) : numbers_(numbers) {}

    bool null() override { return add(JsonNode::Type::null); }
    bool boolean(bool value) override {
        add(JsonNode::Type::boolean);
        nodes_.back().flag = value;
        return true;
    }
    bool number_unsigned(number_unsigned_t place) override {
        return add(JsonNode::Type::number, std::string(numbers_[place]));
    }
    bool number_integer(number_integer_t) override { return false; }
    bool number_float(number_float_t, const string_t&) override { return false; }
    bool string(string_t& value) override { return add(JsonNode::Type::text, std::move(value)); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(JsonNode::Type::table); }
    bool start_array(std::size_t) override { return open(JsonNode::Type::list); }
    bool key(string_t& name) override {
        name_ = std::move(name);
        return true;
    }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
        return false;
    }

    std::vector<JsonNode> take() { return std::move(nodes_); }

private:
    struct Open {
        std::uint32_t node;
        std::uint32_t last_child;  // 0: none yet
    };

    bool add(JsonNode::Type type, std::string text = {}) {
        const auto index = static_cast<std::uint32_t>(nodes_.size());
        if (!open_.empty()) {
            auto& parent = open_.back();
            (parent.last_child ? nodes_[parent.last_child].next : nodes_[parent.node].first) = index;
            parent.last_child = index;
        }
        nodes_.push_back({.type = type, .name = std::exchange(name_, {}), .text = std::move(text)});
        return true;
    }
    bool open(JsonNode::Type type) {
        add(type);
        open_.push_back({static_cast<std::uint32_t>(nodes_.size() - 1), 0});
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    const std::vector<std::string_view>& numbers_;
    std::vector<JsonNode> nodes_;
    std::vector<Open> open_;
    std::string name_;
};

}  // namespace

std::optional<JsonDocument> JsonDocument::parse(std::string_view json) {
    if (json.size() > kLongest) return std::nullopt;
    const auto apart = base::without_numbers(json);
    NodeMaker maker(apart.numbers);
    if (!Nlohmann::sax_parse(apart.json, &maker)) return std::nullopt;
    return JsonDocument(maker.take());
}

const JsonNode* JsonDocument::member(const JsonNode& table, std::string_view name) const {
    if (table.type != JsonNode::Type::table) return nullptr;
    const JsonNode* found = nullptr;
    for (const auto* node = first(table); node; node = next(*node))
        if (node->name == name) found = node;
    return found;
}

const JsonNode* JsonDocument::item(const JsonNode& list, std::size_t index) const {
    if (list.type != JsonNode::Type::list) return nullptr;
    const auto* node = first(list);
    for (; node && index > 0; --index) node = next(*node);
    return node;
}

}  // namespace receiptd::rule
