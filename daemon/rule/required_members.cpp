// The table of what the schemas of messages require.
#include "rule/messages.hpp"

#include <nlohmann/json.hpp>

#include <map>

namespace receiptd::rule {
namespace {

using SchemaPart = nlohmann::json;
using Requirements = std::vector<RequiredMember>;

constexpr unsigned kAnyValue = 63;

unsigned bit(ValueType type) { return static_cast<unsigned>(type); }

unsigned named_type(const std::string& name) {
    static const std::map<std::string, ValueType> kNames = {
        {"null", ValueType::null},     {"boolean", ValueType::boolean}, {"integer", ValueType::number},
        {"number", ValueType::number}, {"string", ValueType::text},     {"array", ValueType::list},
        {"object", ValueType::table}};
    return bit(kNames.at(name));
}

unsigned type_of_constant(const SchemaPart& value) {
    if (value.is_null()) return bit(ValueType::null);
    if (value.is_boolean()) return bit(ValueType::boolean);
    return bit(value.is_number() ? ValueType::number : ValueType::text);
}

class TableMaker {
public:
    explicit TableMaker(const SchemaPart& whole) : whole_(whole) { read(whole, {}); }
    Requirements take() { return std::move(made_); }

private:
    const SchemaPart& resolved(const SchemaPart& part) const {
        const auto reference = part.find("$ref");
        if (reference == part.end()) return part;
        return whole_.at(SchemaPart::json_pointer(reference->get<std::string>().substr(1)));
    }

    static unsigned types_of(const SchemaPart& part) {
        if (const auto type = part.find("type"); type != part.end()) {
            if (type->is_string()) return named_type(type->get<std::string>());
            unsigned types = 0;
            for (const auto& each : *type) types |= named_type(each.get<std::string>());
            return types;
        }
        if (const auto constant = part.find("const"); constant != part.end())
            return type_of_constant(*constant);
        const auto choices = part.find("enum");
        if (choices == part.end()) return kAnyValue;
        unsigned types = 0;
        for (const auto& each : *choices) types |= type_of_constant(each);
        return types;
    }

    void read(const SchemaPart& part, const std::vector<std::string>& path) {
        const auto required = part.find("required");
        if (required == part.end()) return;
        for (const auto& name : *required) {
            auto member = path;
            member.push_back(name.get<std::string>());
            const auto& schema = resolved(part.at("properties").at(member.back()));
            made_.push_back({member, types_of(schema)});
            read(schema, member);
        }
    }

    const SchemaPart& whole_;
    Requirements made_;
};

std::map<std::string_view, Requirements> tables() {
    std::map<std::string_view, Requirements> tables;
    for (const auto& message : message_types()) {
        const auto schema = SchemaPart::parse(message_schema(message.type));
        tables.emplace(message.type, TableMaker(schema).take());
    }
    return tables;
}

}  // namespace

std::span<const RequiredMember> required_members(std::string_view type) {
    static const auto kTables = tables();
    const auto found = kTables.find(type);
    if (found == kTables.end()) return {};
    return found->second;
}

}  // namespace receiptd::rule
