#include "page/docs.hpp"

#include "base/exact_json.hpp"
#include "page/lists.hpp"
#include "page/texts.hpp"

#include <utility>
#include <vector>

namespace receiptd::page {

namespace {

constexpr std::string_view kHtml = "Page";  // the tag of routes that are views

const Json& resolved(const Json& document, const Json& value) {
    const auto reference = value.find("$ref");
    if (reference == value.end()) return value;
    return document.at(Json::json_pointer(reference->get<std::string>().substr(1)));
}

Json choices_of(const Json& schema, const std::string& chosen) {
    std::vector<std::string> words;
    if (const auto named = schema.find("enum"); named != schema.end())
        for (const auto& word : *named) words.push_back(word.get<std::string>());
    else if (schema.value("type", Json()) == "boolean")
        words = {"true", "false"};
    if (words.empty()) return Json::array();
    std::vector<Choice> all = {{"", ""}};
    for (const auto& word : words) all.push_back({word, word});
    return choices(all, chosen);
}

Json field_values(const Json& document, const Json& parameter, const std::string& value) {
    const auto& schema = resolved(document, parameter.at("schema"));
    Json field;
    field["name"] = parameter.at("name");
    field["about"] = parameter.value("description", schema.value("description", ""));
    field["is_needed"] = parameter.value("required", false);
    field["value"] = value;
    field["choices"] = choices_of(schema, value);
    field["is_choice"] = !field["choices"].empty();
    if (const auto otherwise = schema.find("default"); otherwise != schema.end())
        field["otherwise"] =
            otherwise->is_string() ? otherwise->get<std::string>() : base::write_json(*otherwise);
    return field;
}

// The address that the given parameters make, or the names of those that it lacks.
struct Address {
    std::string path, query, missing;

    void take(const Json& parameter, const std::string& value) {
        const auto name = parameter.at("name").get<std::string>();
        if (parameter.at("in") == "query") {
            if (!value.empty()) query += (query.empty() ? "?" : "&") + name + "=" + url_encoded(value);
            return;
        }
        const auto part = "{" + name + "}";
        if (value.empty())
            missing += (missing.empty() ? "" : ", ") + name;
        else
            path.replace(path.find(part), part.size(), url_encoded(value));
    }
};

Json chosen_values(const Json& document, const std::string& path, const Json& operation,
                   const GivenParameter& given) {
    Json values;
    values["operation"] = operation.at("operationId");
    values["path"] = path;
    values["summary"] = operation.at("summary");
    values["fields"] = Json::array();
    Address address{path, {}, {}};
    bool is_given = !given("run").empty();
    for (const auto& each : operation.value("parameters", Json::array())) {
        const auto& parameter = resolved(document, each);
        if (parameter.at("in") != "query" && parameter.at("in") != "path") continue;
        const auto value = given(parameter.at("name"));
        is_given = is_given || !value.empty();
        address.take(parameter, value);
        values["fields"].push_back(field_values(document, parameter, value));
    }
    values["missing"] = address.missing;
    if (address.missing.empty()) values["link"] = address.path + address.query;
    values["runs"] = address.missing.empty() && (is_given || values["fields"].empty());
    return values;
}

}  // namespace

Json docs_values(const Json& document, std::string_view operation, const GivenParameter& given) {
    Json values;
    values["groups"] = Json::array();
    for (const auto& tag : document.at("tags")) {
        if (tag.at("name") == kHtml) continue;
        Json routes = Json::array();
        for (const auto& [path, methods] : document.at("paths").items()) {
            const auto get = methods.find("get");
            if (get == methods.end() || get->at("tags").at(0) != tag.at("name")) continue;
            const bool is_chosen = get->at("operationId") == operation;
            routes.push_back({{"operation", get->at("operationId")},
                              {"path", path},
                              {"summary", get->at("summary")},
                              {"is_chosen", is_chosen}});
            if (is_chosen) values["chosen"] = chosen_values(document, path, *get, given);
        }
        values["groups"].push_back(
            {{"name", tag.at("name")}, {"about", tag.at("description")}, {"routes", std::move(routes)}});
    }
    return values;
}

}  // namespace receiptd::page
