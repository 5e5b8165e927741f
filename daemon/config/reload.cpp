#include "config/keys.hpp"
#include "config/load.hpp"

#include <optional>
#include <set>
#include <utility>

namespace receiptd::config {

namespace {

std::string name_of(const Section& section, const Draft& draft, std::size_t item) {
    return std::get<std::string>(find_key(section.name, "name")->at.get(draft, item));
}

std::optional<std::size_t> find_entry(const Section& section, const Draft& draft, const std::string& name) {
    for (std::size_t i = 0; i < section.size(draft.settings); ++i)
        if (name_of(section, draft, i) == name) return i;
    return std::nullopt;
}

// A provider's key may stand in the path of an address: only scheme and host are told.
std::string without_path(const std::string& quoted_url) {
    const auto host = quoted_url.find("//");
    const auto end = host == std::string::npos ? host : quoted_url.find_first_of("/?#\"", host + 2);
    return end == std::string::npos || quoted_url[end] == '"' ? quoted_url
                                                              : quoted_url.substr(0, end) + "/…\"";
}

class Reload {
public:
    Reload(const Settings& running, const Settings& read) {
        running_.settings = running;
        read_.settings = read;
    }

    void visit(const Section& section) {
        if (section.reload) {
            for (auto& change : section.reload(running_.settings, read_.settings))
                changes_.push_back(std::move(change));
            return;
        }
        switch (section.kind) {
            case SectionKind::table: return visit_entry(section, 0, 0, "");
            case SectionKind::optional: return visit_optional(section);
            default: return visit_entries(section);
        }
    }

    Settings settings() && { return std::move(running_.settings); }
    std::vector<Change> changes() && { return std::move(changes_); }

private:
    void visit_optional(const Section& section) {
        const bool was = section.size(running_.settings) > 0;
        const bool is = section.size(read_.settings) > 0;
        if (was && is)
            visit_entry(section, 0, 0, "");
        else if (was || is)
            came_or_went(std::string(section.name), is);
    }

    void visit_entries(const Section& section) {
        const auto title = [&section](const std::string& name) {
            return std::string(section.name) + " (" + name + ")";
        };
        for (std::size_t i = 0; i < section.size(running_.settings); ++i) {
            const auto name = name_of(section, running_, i);
            if (const auto twin = find_entry(section, read_, name))
                visit_entry(section, i, *twin, " (" + name + ")");
            else
                came_or_went(title(name), false);
        }
        for (std::size_t i = 0; i < section.size(read_.settings); ++i)
            if (const auto name = name_of(section, read_, i); !find_entry(section, running_, name))
                came_or_went(title(name), true);
        if (section.order_counts) visit_order(section);
    }

    // The entries are matched by name, so that their order alone may differ.
    void visit_order(const Section& section) {
        const auto before = shared_names(section, running_, read_);
        const auto after = shared_names(section, read_, running_);
        if (before != after) changes_.push_back({std::string(section.name) + " order", before, after, false});
    }

    static std::string shared_names(const Section& section, const Draft& of, const Draft& with) {
        std::string names;
        for (std::size_t i = 0; i < section.size(of.settings); ++i)
            if (const auto name = name_of(section, of, i); find_entry(section, with, name))
                names += (names.empty() ? "" : ", ") + name;
        return names;
    }

    void came_or_went(std::string what, bool came) {
        changes_.push_back({std::move(what), came ? "absent" : "present", came ? "added" : "removed", false});
    }

    // Entry `to` of what is running and entry `from` of what was read.
    void visit_entry(const Section& section, std::size_t to, std::size_t from, const std::string& of) {
        std::set<std::string> secrets;  // a secret is one, whether a variable or a file holds it
        for (const auto* key : keys_of(section.name)) {
            if (!key->is_secret())
                visit_value(*key, to, from, of);
            else if (secrets.insert(key->subject()).second)
                visit_secret(*key, to, from, of);
        }
    }

    void visit_value(const Key& key, std::size_t to, std::size_t from, const std::string& of) {
        const auto value = key.at.get(read_, from);
        auto before = to_toml(key, key.at.get(running_, to));
        auto after = to_toml(key, value);
        if (before == after) return;
        if (key.type == Type::url) {
            before = without_path(before);
            after = without_path(after);
        }
        changes_.push_back({key.subject() + of, std::move(before), std::move(after), key.reloadable});
        if (key.reloadable) key.at.set(running_, to, value);
    }

    void visit_secret(const Key& key, std::size_t to, std::size_t from, const std::string& of) {
        const auto shown = [](const base::Secret& secret) { return secret.empty() ? "none" : "***"; };
        auto& before = key.at.secret(running_.settings, to);
        const auto& after = key.at.secret(read_.settings, from);
        if (before == after) return;
        changes_.push_back({key.subject() + of, shown(before), shown(after), key.reloadable});
        if (key.reloadable) before = after;
    }

    Draft running_;
    Draft read_;
    std::vector<Change> changes_;
};

}  // namespace

std::vector<Change> reload(Settings& running, const Settings& read) {
    Reload reload(running, read);
    for (const auto& section : sections()) reload.visit(section);
    running = std::move(reload).settings();
    running.watchdog.ping_proxy = read.watchdog.ping_proxy;  // of the new ping_url
    running.traces.proxy = read.traces.proxy;                // of the new otlp_url
    return std::move(reload).changes();
}

}  // namespace receiptd::config
