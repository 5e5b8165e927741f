#include "config/reader.hpp"

#include "base/nearest.hpp"
#include "config/depth.hpp"
#include "config/read_rule.hpp"
#include "config/read_value.hpp"

#include <algorithm>

namespace receiptd::config {

namespace {

Position position_of(const toml::source_region& source) {
    return {static_cast<unsigned>(source.begin.line), static_cast<unsigned>(source.begin.column)};
}

// Names people try for a secret itself.
bool looks_like_secret(std::string_view name) {
    constexpr std::string_view kNames[] = {"api_key", "apikey", "apiKey",  "key",
                                           "token",   "secret", "password"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

bool is_of_rules(std::string_view section) {
    constexpr std::string_view kPartOfRules[] = {"rule", "list", "endpoint", "follow"};
    return std::find(std::begin(kPartOfRules), std::end(kPartOfRules), section) != std::end(kPartOfRules);
}

class Reader {
public:
    Reader(Report& report, Part part) : report_(report), part_(part) {}

    ReadFile read(const toml::table& root) {
        for (const auto& [name, node] : root) read_member(name, node);
        for (const auto& section : sections())
            if (part_ == Part::all && section.kind == SectionKind::table &&
                !file_.places.has(std::string(section.name)))
                require_keys(section.name, std::string(section.name), {});
        file_.parsed = true;
        return std::move(file_);
    }

private:
    void read_member(const toml::key& name, const toml::node& node) {
        const auto known = sections();
        const auto section =
            std::find_if(known.begin(), known.end(), [&](const Section& s) { return s.name == name.str(); });
        if (section == known.end()) return unknown_member(name, node);
        if (part_ == Part::rules && !is_of_rules(section->name)) return;
        if (section->is_array()) return read_entries(*section, name, node);
        const auto* table = node.as_table();
        if (!table) {
            const auto title = std::string(name.str());
            return report_.error(position_of(name.source()),
                                 title + " must be a section: write [" + title + "]");
        }
        if (section->add) section->add(file_.draft);
        read_section(section->name, std::string(section->name), 0, *table);
    }

    void read_entries(const Section& section, const toml::key& name, const toml::node& node) {
        const auto title = std::string(section.name);
        const auto* entries = node.as_array();
        if (!entries || !entries->is_homogeneous(toml::node_type::table)) {
            if (entries && entries->empty()) return;
            return report_.error(position_of(name.source()),
                                 title + " must be a list of sections: write [[" + title + "]]");
        }
        for (std::size_t i = 0; i < entries->size(); ++i) {
            section.add(file_.draft);
            const auto path = item_path(title, i);
            const auto& table = *entries->get_as<toml::table>(i);
            if (section.nests)
                file_.draft.settings.rules[i] = read_rule(table, path, file_.places, report_);
            else
                read_section(section.name, path, i, table);
        }
    }

    void read_section(std::string_view section, const std::string& path, std::size_t item,
                      const toml::table& table) {
        file_.places.set(path, position_of(table.source()));
        for (const auto& [name, node] : table) {
            const Key* key = find_key(section, name.str());
            if (!key) {
                unknown_key(section, name);
                continue;
            }
            file_.places.set(path + "." + std::string(name.str()), position_of(node.source()));
            read_key(*key, path, item, node);
        }
        require_keys(section, path, position_of(table.source()));
    }

    void read_key(const Key& key, const std::string& path, std::size_t item, const toml::node& node) {
        auto value = read_value(key, node);
        if (value) {
            key.at.set(file_.draft, item, *value);
        } else {
            const auto& fault = value.error();
            report_.error(position_of(fault.where->source()), key.full_name() + " " + fault.text);
        }
        if (const auto* list = node.as_array())
            for (std::size_t i = 0; i < list->size(); ++i)
                file_.places.set(item_path(path + "." + std::string(key.name), i),
                                 position_of(list->get(i)->source()));
    }

    void require_keys(std::string_view section, const std::string& path, Position where) {
        for (const auto* key : keys_of(section))
            if (key->required && !file_.places.has(path + "." + std::string(key->name)))
                report_.error(where, key->full_name() + " is missing");
    }

    void unknown_member(const toml::key& name, const toml::node& node) {
        std::vector<std::string_view> names;
        for (const auto& section : sections()) names.push_back(section.name);
        const bool is_section = node.is_table() || node.is_array_of_tables();
        std::string text = std::string(is_section ? "unknown section [" : "unknown key ") +
                           std::string(name.str()) + (is_section ? "]" : " outside of any section");
        if (const auto near = is_section ? base::nearest(name.str(), names) : std::nullopt)
            text += "; did you mean [" + std::string(*near) + "]?";
        if (!is_section)
            for (const auto& key : keys())
                if (key.name == name.str()) {
                    text += "; did you mean " + key.full_name() + "?";
                    break;
                }
        report_.error(position_of(name.source()), text);
    }

    void unknown_key(std::string_view section, const toml::key& name) {
        const auto known = keys_of(section);
        const auto own = std::string(name.str()) + "_env";
        auto env = std::find_if(known.begin(), known.end(), [&](const Key* key) { return key->name == own; });
        const bool is_secret = env != known.end() || looks_like_secret(name.str());
        if (env == known.end())
            env = std::find_if(known.begin(), known.end(),
                               [](const Key* key) { return key->type == Type::env; });
        const auto full = std::string(section) + "." + std::string(name.str());
        if (env != known.end() && is_secret) {
            const auto stem = std::string((*env)->name.substr(0, (*env)->name.size() - 4));
            return report_.error(
                position_of(name.source()),
                full +
                    " is refused: a secret does not stand in this file; name the variable or "
                    "file that holds it with " +
                    stem + "_env or " + stem + "_file");
        }
        std::vector<std::string_view> names;
        for (const auto* key : known) names.push_back(key->name);
        std::string text = "unknown key " + full;
        if (const auto near = base::nearest(name.str(), names))
            text += "; did you mean " + std::string(*near) + "?";
        report_.error(position_of(name.source()), text);
    }

    Report& report_;
    Part part_;
    ReadFile file_;
};

}  // namespace

ReadFile read_toml(std::string_view text, Report& report, Part part) {
    if (const auto where = too_deep(text)) {
        const auto most = std::to_string(kDeepest);
        report.error(*where, "is nested too deep: a key has at most " + most +
                                 " parts, and lists and tables in one another go " + most + " levels down");
        return {};
    }
    try {
        const toml::table root = toml::parse(text);
        return Reader(report, part).read(root);
    } catch (const toml::parse_error& error) {
        report.error(position_of(error.source()), std::string(error.description()));
        return {};
    }
}

}  // namespace receiptd::config
