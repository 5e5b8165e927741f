// The description of the HTTP surface against the program.
#include "page/page.hpp"
#include "unit/page/fakes.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <sstream>

namespace receiptd::page {
namespace {

using api::testing::kHash;
using Names = std::set<std::string>;

class OpenApi : public api::testing::ApiTest {
protected:
    void SetUp() override {
        ApiTest::SetUp();
        more_routes_ = routes(store_);
        document_ = answer(get("/openapi.json"));
    }

    const nlohmann::json& resolved(const nlohmann::json& value) const {
        if (!value.contains("$ref")) return value;
        return document_.at(nlohmann::json::json_pointer(value["$ref"].get<std::string>().substr(1)));
    }
    Names parameters(const nlohmann::json& operation, const std::string& place) const {
        Names names;
        for (const auto& each : operation.value("parameters", nlohmann::json::array()))
            if (resolved(each)["in"] == place) names.insert(resolved(each)["name"]);
        return names;
    }
    // Every operation: method, path, description.
    template <class Visit>
    void visit_operations(Visit&& visit) const {
        for (const auto& [path, item] : document_["paths"].items())
            for (const auto& [name, operation] : item.items()) {
                std::string method = name;
                std::transform(method.begin(), method.end(), method.begin(), ::toupper);
                visit(method, path, operation);
            }
    }
    static std::string example(std::string path) {
        for (auto open = path.find('{'); open != std::string::npos; open = path.find('{'))
            path.replace(open, path.find('}') - open + 1, kHash);
        return path;
    }
    // As refusals list them: "no such parameter here; there are: a, b".
    static Names listed(const std::string& detail) {
        constexpr std::string_view kBefore = "there are: ";
        const auto at = detail.find(kBefore);
        if (at == std::string::npos) return {"no list in: " + detail};
        std::istringstream list(detail.substr(at + kBefore.size()));
        Names names;
        for (std::string name; list >> name;) {
            if (name.ends_with(',')) name.pop_back();
            if (name != "none") names.insert(name);
        }
        return names;
    }

    testing::FakePageStore store_{database_};
    nlohmann::json document_;
};

TEST_F(OpenApi, DescribesEveryRouteAndNoOther) {
    Names served, described;
    for (const auto& route : api().routes())
        served.insert(std::string(route.method) + " " + std::string(route.pattern));
    visit_operations([&](const auto& method, const auto& path, const nlohmann::json&) {
        described.insert(method + " " + path);
    });
    EXPECT_EQ(described, served);
    EXPECT_EQ(document_["openapi"], "3.1.0");
}

TEST_F(OpenApi, WantsATokenWhereTheProgramDoes) {
    Names writes, secured;
    for (const auto& route : api().routes())
        if (route.access == api::Access::write)
            writes.insert(std::string(route.method) + " " + std::string(route.pattern));
    const auto needs_token = nlohmann::json::array({{{"token", nlohmann::json::array()}}});
    visit_operations([&](const auto& method, const auto& path, const nlohmann::json& operation) {
        if (operation.value("security", nlohmann::json()) == needs_token) secured.insert(method + " " + path);
    });
    EXPECT_EQ(secured, writes);
}

TEST_F(OpenApi, NamesTheParametersThatTheProgramTakes) {
    visit_operations([&](const auto& method, const std::string& path, const nlohmann::json& operation) {
        Names in_path;
        for (auto open = path.find('{'); open != std::string::npos; open = path.find('{', open + 1))
            in_path.insert(path.substr(open + 1, path.find('}', open) - open - 1));
        EXPECT_EQ(parameters(operation, "path"), in_path) << path;
        if (method != "GET" || !path.starts_with("/v1/")) return;
        const auto refused = problem(get(example(path) + "?no_such=1"), 400);
        EXPECT_EQ(parameters(operation, "query"), listed(refused["detail"])) << path;
    });
}

TEST_F(OpenApi, NamesTheMembersOfBodies) {
    int bodies = 0;
    visit_operations([&](const auto&, const std::string& path, const nlohmann::json& operation) {
        if (!operation.contains("requestBody")) return;
        const auto& content = operation["requestBody"]["content"];
        if (!content.contains("application/json")) return;
        ++bodies;
        const auto& body = content["application/json"]["schema"];
        const auto& schema = resolved(body.contains("oneOf") ? body["oneOf"][0] : body);
        Names members;
        for (const auto& [name, member] : schema["properties"].items()) members.insert(name);
        const auto refused = problem(post(path, R"({"no_such":1})"), 400);
        EXPECT_EQ(members, listed(refused["detail"])) << path;
    });
    EXPECT_EQ(bodies, 5);
}

TEST_F(OpenApi, HasTheWordsOfTheProgram) {
    const auto words = [&](const char* schema) {
        return document_["components"]["schemas"][schema]["enum"].get<std::vector<std::string>>();
    };
    for (const auto& stage : words("Stage")) EXPECT_TRUE(chain::parse_stage(stage)) << stage;
    EXPECT_EQ(words("Stage").size(), 11U);
    for (const auto& verdict : words("Verdict")) EXPECT_TRUE(chain::parse_verdict(verdict)) << verdict;
    EXPECT_EQ(words("Verdict").size(), 5U);
    const auto& kinds = chain::kind::kAll;
    EXPECT_EQ(words("FindingKind"), std::vector<std::string>(kinds.begin(), kinds.end()));
}

}  // namespace
}  // namespace receiptd::page
