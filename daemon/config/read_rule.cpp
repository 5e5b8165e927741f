#include "config/read_rule.hpp"

#include "base/json_text.hpp"
#include "rule/definition.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace receiptd::config {

namespace {

// TOML as JSON, and where each part of it stands.
class JsonWriter {
public:
    explicit JsonWriter(Places& places) : places_(places) {}

    void write(const toml::node& node, const std::string& path) {
        const auto& begin = node.source().begin;
        places_.set(path, {static_cast<unsigned>(begin.line), static_cast<unsigned>(begin.column)});
        if (const auto* table = node.as_table())
            write_table(*table, path);
        else if (const auto* list = node.as_array())
            write_list(*list, path);
        else if (const auto* text = node.as_string())
            base::append_quoted(json, text->get());
        else if (const auto* integer = node.as_integer())
            json += std::to_string(integer->get());
        else if (const auto* number = node.as_floating_point())
            write_number(number->get());
        else if (const auto* flag = node.as_boolean())
            json += flag->get() ? "true" : "false";
        else
            json += "null";  // a date: no key takes it
    }

    std::string json;

private:
    void write_table(const toml::table& table, const std::string& path) {
        json += '{';
        bool first = true;
        for (const auto& [name, node] : table) {
            if (!std::exchange(first, false)) json += ',';
            base::append_quoted(json, name.str());
            json += ':';
            write(node, path + "." + std::string(name.str()));
        }
        json += '}';
    }

    void write_list(const toml::array& list, const std::string& path) {
        json += '[';
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (i > 0) json += ',';
            write(*list.get(i), path + "[" + std::to_string(i) + "]");
        }
        json += ']';
    }

    // JSON has no infinity; no key takes it either.
    void write_number(double number) {
        std::array<char, 32> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
        json += std::isfinite(number) ? std::string(digits.data(), end) : "null";
    }

    Places& places_;
};

std::vector<std::string> kinds_of(const toml::table& table) {
    std::vector<std::string> kinds;
    if (const auto one = table["kind"].value<std::string>()) kinds.push_back(*one);
    if (const auto* several = table["kind"].as_array())
        for (const auto& kind : *several)
            if (const auto name = kind.value<std::string>()) kinds.push_back(*name);
    return kinds;
}

}  // namespace

AlertRule read_rule(const toml::table& table, const std::string& path, Places& places, Report& report) {
    JsonWriter writer(places);
    writer.write(table, path);
    AlertRule rule{table["name"].value_or(std::string()), kinds_of(table), std::move(writer.json), {}};
    auto parsed = rule::parse(rule.json);
    if (parsed) {
        rule.json = std::move(parsed->json);
        rule.lists = std::move(parsed->lists);
        return rule;
    }
    constexpr std::string_view kRoot = "rule";
    for (const auto& fault : parsed.error())
        report.error(places.find(path + fault.path.substr(kRoot.size())), fault.path + " " + fault.text);
    return rule;
}

}  // namespace receiptd::config
