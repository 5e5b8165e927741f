// JSON as a flat tree, with every number as it was written. For rules and for what contracts wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::rule {

struct JsonNode {
    enum class Type : std::uint8_t { null, boolean, number, text, list, table };
    Type type = Type::null;
    bool flag = false;        // of a boolean
    std::string name;         // of a member of a table
    std::string text;         // of a text, without escapes; of a number its digits
    std::uint32_t first = 0;  // child, as an index of the document; 0: none
    std::uint32_t next = 0;   // sibling
};

class JsonDocument {
public:
    // A longer text is refused: contracts decide what it holds.
    static constexpr std::size_t kLongest = 256 * 1024;

    // nullopt: it is no JSON, holds text that is no UTF-8, or is too long. Any depth.
    static std::optional<JsonDocument> parse(std::string_view json);

    const JsonNode& root() const { return nodes_.front(); }
    const JsonNode* first(const JsonNode& node) const { return node.first ? &nodes_[node.first] : nullptr; }
    const JsonNode* next(const JsonNode& node) const { return node.next ? &nodes_[node.next] : nullptr; }
    // The last one of that name, as PostgreSQL's jsonb has it; null: there is none.
    const JsonNode* member(const JsonNode& table, std::string_view name) const;
    // Counts from 0; null: there are not as many.
    const JsonNode* item(const JsonNode& list, std::size_t index) const;

private:
    explicit JsonDocument(std::vector<JsonNode> nodes) : nodes_(std::move(nodes)) {}
    std::vector<JsonNode> nodes_;
};

}  // namespace receiptd::rule
