#include "rule/messages.hpp"

#include "rule/words.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace receiptd::rule {
namespace {

using Json = nlohmann::json;

TEST(Messages, HaveATypeForEachKind) {
    EXPECT_EQ(type_of("failed_receipt"), "finding.failed_receipt");
    EXPECT_EQ(type_of("expired"), "finding.expired");
    EXPECT_EQ(type_of("final"), "transaction.final");
    EXPECT_EQ(type_of("corrected"), "transaction.corrected");
    EXPECT_EQ(type_of("verdict"), "transaction.judged");
    EXPECT_EQ(type_of("transfer"), "account.transfer");
    EXPECT_EQ(type_of("of_a_later_version"), "of_a_later_version");
    for (std::size_t i = 0; i < kKinds; ++i) {
        const auto kind = static_cast<Kind>(i);
        if (!is_finding(kind)) continue;
        EXPECT_EQ(type_of(kind_name(kind)), "finding." + std::string(kind_name(kind)));
    }
}

void collect(const Json& part, std::set<std::string>& references) {
    if (part.is_object() && part.contains("$ref")) references.insert(part["$ref"].get<std::string>());
    if (part.is_structured())
        for (const auto& each : part) collect(each, references);
}

TEST(Messages, HaveAWholeSchemaEach) {
    for (const auto& message : message_types()) {
        const auto schema = Json::parse(message_schema(message.type));
        EXPECT_EQ(schema["properties"]["type"]["const"], message.type);
        std::set<std::string> references;
        collect(schema, references);
        for (const auto& reference : references) {
            ASSERT_TRUE(reference.starts_with("#")) << reference;
            EXPECT_TRUE(schema.contains(Json::json_pointer(reference.substr(1)))) << reference;
        }
        const auto& data = schema["properties"]["data"];
        std::set<std::string> members;
        for (const auto& [name, value] : data["properties"].items()) members.insert(name);
        EXPECT_EQ(data["required"].get<std::set<std::string>>(), members) << "all members are always there";
    }
    EXPECT_EQ(message_schema("finding"), "");
}

TEST(Messages, RequireWhatTheirSchemasSay) {
    const auto find = [](std::string_view type, const std::vector<std::string>& path) {
        const auto all = required_members(type);
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.path == path; });
        return found == all.end() ? RequiredMember{} : *found;
    };
    const auto height = find("event.emitted", {"data", "block_height"});
    EXPECT_TRUE(height.allows(ValueType::number));
    EXPECT_FALSE(height.allows(ValueType::null));
    EXPECT_FALSE(height.allows(ValueType::text));
    EXPECT_TRUE(find("event.emitted", {"data", "standard"}).allows(ValueType::null));
    EXPECT_TRUE(find("event.emitted", {"data", "data"}).allows(ValueType::list)) << "any JSON";
    EXPECT_TRUE(find("finding.stuck", {"data", "finding", "kind"}).allows(ValueType::text));
    EXPECT_FALSE(find("test", {"data"}).allows(ValueType::list));
    for (const auto& message : message_types()) EXPECT_GT(required_members(message.type).size(), 5u);
    EXPECT_TRUE(required_members("of_a_later_version").empty());
}

}  // namespace
}  // namespace receiptd::rule
