// The one table of the types of messages that endpoints get, each with its JSON Schema. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::rule {

struct MessageType {
    std::string_view kind;     // of the alert, as alerts.kind has it; "test" is of no alert
    std::string_view type;     // "finding.failed_receipt"
    std::string_view data;     // schemas/<data>.json describes its member `data`
    std::string_view meaning;  // when it is sent, for people
};
std::span<const MessageType> message_types();

// A kind that this version does not know (of a later daemon on the same database) is its own type.
std::string_view type_of(std::string_view kind);
// Kinds of alerts that outcomes of receipts are the cause of.
std::span<const std::string_view> kinds_about_outcomes();
// The JSON Schema (2020-12) of the whole body. Empty: there is no such type.
std::string message_schema(std::string_view type);

enum class ValueType : unsigned { null = 1, boolean = 2, number = 4, text = 8, list = 16, table = 32 };

// A member that the schema of a type requires, and whose object it has.
struct RequiredMember {
    std::vector<std::string> path;  // from the body: data, finding, kind
    unsigned types = 0;             // bits of ValueType
    bool allows(ValueType type) const { return (types & static_cast<unsigned>(type)) != 0; }
};
// A table made from the schema, once. Empty: there is no such type.
std::span<const RequiredMember> required_members(std::string_view type);

struct SchemaFile {
    std::string name;
    std::string text;
};
// Generated from schemas/*.json by cmake/embed_files.cmake, in name order.
const std::vector<SchemaFile>& schema_files();

}  // namespace receiptd::rule
