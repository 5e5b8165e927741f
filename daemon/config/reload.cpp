#include "config/keys.hpp"
#include "config/load.hpp"

#include <algorithm>

namespace receiptd::config {

namespace {

Draft draft_of(const Settings& settings) {
    Draft draft;
    draft.settings = settings;
    return draft;
}

std::string place(std::string_view key, const std::string& of) {
    return std::string(key) + (of.empty() ? "" : " (" + of + ")");
}

// Compares one section, entry `i` of `a` with entry `j` of `b`.
void compare(std::string_view section, const Draft& a, std::size_t i, const Draft& b, std::size_t j,
             const std::string& of, std::vector<Change>& changes) {
    for (const auto* key : keys_of(section)) {
        if (key->is_secret()) continue;  // compared by value below: where it comes from is no change
        auto from = to_toml(*key, key->at.get(a, i));
        auto to = to_toml(*key, key->at.get(b, j));
        if (from != to)
            changes.push_back({place(key->full_name(), of), std::move(from), std::move(to), key->reloadable});
    }
}

void compare_secret(const std::string& key, const base::Secret& from, const base::Secret& to, bool reloadable,
                    std::vector<Change>& changes) {
    if (from == to) return;
    const auto shown = [](const base::Secret& secret) { return secret.empty() ? "none" : "***"; };
    changes.push_back({key, shown(from), shown(to), reloadable});
}

bool key_reloadable(std::string_view section) { return find_key(section, "api_key_env")->reloadable; }

template <class Entry>
auto find_named(const std::vector<Entry>& all, const std::string& name) {
    return std::find_if(all.begin(), all.end(), [&](const Entry& entry) { return entry.name == name; });
}

void compare_upstreams(const Draft& a, const Draft& b, std::vector<Change>& changes) {
    const auto& before = a.settings.upstreams;
    const auto& after = b.settings.upstreams;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const auto twin = find_named(after, before[i].name);
        if (twin == after.end()) {
            changes.push_back({place("upstream", before[i].name), "present", "removed", false});
            continue;
        }
        compare("upstream", a, i, b, static_cast<std::size_t>(twin - after.begin()), before[i].name, changes);
        compare_secret(place("upstream.api_key", before[i].name), before[i].api_key, twin->api_key,
                       key_reloadable("upstream"), changes);
    }
    for (const auto& upstream : after)
        if (find_named(before, upstream.name) == before.end())
            changes.push_back({place("upstream", upstream.name), "absent", "added", false});
}

void compare_endpoints(const std::vector<Endpoint>& before, const std::vector<Endpoint>& after,
                       std::vector<Change>& changes) {
    for (const auto& old : before) {
        const auto twin = find_named(after, old.name);
        if (twin == after.end()) {
            changes.push_back({place("endpoint", old.name), "present", "removed", false});
            continue;
        }
        compare_secret(place("endpoint.url", old.name), base::Secret(old.url), base::Secret(twin->url), false,
                       changes);
        compare_secret(place("endpoint.secret", old.name), old.secret, twin->secret,
                       find_key("endpoint", "secret_env")->reloadable, changes);
        if (old.allow_private != twin->allow_private)
            changes.push_back({place("endpoint.allow_private", old.name),
                               old.allow_private ? "true" : "false", twin->allow_private ? "true" : "false",
                               false});
    }
    for (const auto& endpoint : after)
        if (find_named(before, endpoint.name) == before.end())
            changes.push_back({place("endpoint", endpoint.name), "absent", "added", false});
}

void compare_watch_rules(const Draft& a, const Draft& b, std::vector<Change>& changes) {
    const auto& before = a.settings.watch_rules;
    const auto& after = b.settings.watch_rules;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const auto twin = find_named(after, before[i].name);
        if (twin == after.end())
            changes.push_back({place("watch", before[i].name), "present", "removed", false});
        else
            compare("watch", a, i, b, static_cast<std::size_t>(twin - after.begin()), before[i].name,
                    changes);
    }
    for (const auto& rule : after)
        if (find_named(before, rule.name) == before.end())
            changes.push_back({place("watch", rule.name), "absent", "added", false});
}

void compare_neardata(const Draft& a, const Draft& b, std::vector<Change>& changes) {
    const auto& before = a.settings.neardata;
    const auto& after = b.settings.neardata;
    if (before.has_value() != after.has_value()) {
        changes.push_back({"neardata", before ? "present" : "absent", after ? "added" : "removed", false});
        return;
    }
    if (!before) return;
    compare("neardata", a, 0, b, 0, "", changes);
    compare_secret("neardata.api_key", before->api_key, after->api_key, key_reloadable("neardata"), changes);
}

}  // namespace

std::vector<Change> reload_diff(const Settings& before, const Settings& after) {
    const auto a = draft_of(before);
    const auto b = draft_of(after);
    std::vector<Change> changes;
    for (const auto& section : sections())
        if (section.kind == SectionKind::table) compare(section.name, a, 0, b, 0, "", changes);
    compare_secret("database.url", before.database.url, after.database.url, false, changes);
    compare_secret("http.token", before.http.token, after.http.token,
                   find_key("http", "token_file")->reloadable, changes);
    compare_upstreams(a, b, changes);
    compare_endpoints(before.endpoints, after.endpoints, changes);
    compare_watch_rules(a, b, changes);
    compare_neardata(a, b, changes);
    return changes;
}

}  // namespace receiptd::config
