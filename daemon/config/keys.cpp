#include "config/keys.hpp"

#include "base/units.hpp"
#include "config/key_tables.hpp"
#include "config/reload_entries.hpp"

#include <array>
#include <charconv>
#include <vector>

namespace receiptd::config {

namespace {

void add_upstream(Draft& draft) {
    draft.settings.upstreams.emplace_back();
    draft.upstream_secrets.emplace_back();
}

std::size_t upstreams(const Settings& settings) { return settings.upstreams.size(); }

void add_neardata(Draft& draft) { draft.settings.neardata.emplace(); }

std::size_t neardatas(const Settings& settings) { return settings.neardata ? 1 : 0; }

void add_endpoint(Draft& draft) {
    draft.settings.endpoints.emplace_back();
    draft.endpoint_secrets.emplace_back();
}

std::size_t endpoints(const Settings& settings) { return settings.endpoints.size(); }

void add_watch_rule(Draft& draft) { draft.settings.watch_rules.emplace_back(); }

std::size_t watch_rules(const Settings& settings) { return settings.watch_rules.size(); }

void add_expected(Draft& draft) { draft.settings.expected.emplace_back(); }

std::size_t expected(const Settings& settings) { return settings.expected.size(); }

void add_rule(Draft& draft) { draft.settings.rules.emplace_back(); }

std::size_t rules(const Settings& settings) { return settings.rules.size(); }

void add_list(Draft& draft) { draft.settings.lists.emplace_back(); }

std::size_t lists(const Settings& settings) { return settings.lists.size(); }

constexpr Section kSections[] = {
    {"config", SectionKind::table, "The configuration itself."},
    {"chain", SectionKind::table, "The network."},
    {"upstream", SectionKind::array,
     "JSON-RPC hosts, one `[[upstream]]` each, in order of preference. You can configure several hosts of "
     "each kind; receiptd chooses by health and request budget.",
     add_upstream, upstreams, true},
    {"neardata", SectionKind::optional, "The whole-block service, for `follow.source = \"neardata\"`.",
     add_neardata, neardatas},
    {"timeouts", SectionKind::table, "Timeouts for all upstream requests."},
    {"database", SectionKind::table, "The PostgreSQL database."},
    {"follow", SectionKind::table, "The data that is fetched and stored."},
    {"http", SectionKind::table, "The HTTP server of the daemon."},
    {"watching", SectionKind::table, "How long watched transactions may take."},
    {"watch", SectionKind::optional_array,
     "Watch rules, one `[[watch]]` each. receiptd watches every transaction that a followed block includes "
     "and that matches all globs of at least one rule. A rule needs at least one glob; `\"*\"` matches "
     "everything.",
     add_watch_rule, watch_rules, true},
    {"expected", SectionKind::optional_array,
     "Failures that need no alert, one `[[expected]]` each. A finding about a failed receipt or "
     "transaction, or about a yield that timed out, that matches all globs of a rule is stored with "
     "`expected`, and no alert is sent. The verdict does not "
     "change. A rule needs at least one glob. If several daemons share a database, the rules of all of them "
     "apply; of two rules with the same name, the one of the daemon that started last applies.",
     add_expected, expected, true},
    {"alerts", SectionKind::table, "Alerts, for all endpoints."},
    {"endpoint", SectionKind::optional_array,
     "Who is told, one `[[endpoint]]` each. By channel `json`, every alert of its rules is sent to it as a "
     "POST with a JSON body, signed according to [Standard Webhooks](https://www.standardwebhooks.com) "
     "([webhooks.md](webhooks.md)). [channels.md](channels.md) describes the other channels and which keys "
     "each needs.",
     add_endpoint, endpoints},
    {"watchdog", SectionKind::table,
     "Who is told that the daemon itself stands still, and how somebody notices that it is gone "
     "([webhooks.md](webhooks.md#when-the-daemon-stands-still))."},
    {"rule", SectionKind::optional_array,
     "Alert rules, one `[[rule]]` each: what endpoints are told. [rules.md](rules.md) describes the kinds "
     "and all "
     "other keys, which are conditions. A reload applies changes of rules and lists at once.",
     add_rule, rules, false, reload_rules, true},
    {"list", SectionKind::optional_array,
     "Lists of accounts, one `[[list]]` each. Rules use them as `\"@name\"`. `PUT` and `DELETE` of "
     "`/v1/lists/{name}/{account}` change them without a reload.",
     add_list, lists, false, reload_lists},
    {"traces", SectionKind::table,
     "Completed trees as OpenTelemetry traces, for a collector such as Tempo or Jaeger "
     "([traces.md](traces.md))."},
    {"retention", SectionKind::table, "Data retention."},
    {"log", SectionKind::table, "Logging, on standard error."},
};

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

std::string decimal(double number) {
    std::string text = std::to_string(number);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

std::string list(const std::vector<std::string>& items) {
    std::string text;
    for (const auto& item : items) text += (text.empty() ? "" : ", ") + in_quotes(item);
    return "[" + text + "]";
}

std::string list_of_durations(const std::vector<Millis>& durations) {
    std::vector<std::string> texts;
    for (const auto& duration : durations) texts.push_back(base::format_duration(duration));
    return list(texts);
}

std::string start_text(const Start& start) {
    if (std::holds_alternative<StartAtHead>(start)) return in_quotes("head");
    return std::to_string(std::get<std::uint64_t>(start));
}

}  // namespace

std::string Key::subject() const {
    auto text = full_name();
    for (const std::string_view place : {"_env", "_file"})
        if (is_secret() && text.ends_with(place)) text.resize(text.size() - place.size());
    return text;
}

std::vector<const SecretPlace*> places_of_secrets(const Draft& draft) {
    std::vector<const SecretPlace*> places = {&draft.database_url, &draft.http_token, &draft.http_read_token,
                                              &draft.ping_url, &draft.trace_headers};
    const auto add = [&places](const HostSecrets& host) {
        places.insert(places.end(), {&host.api_key, &host.proxy});
    };
    for (const auto& host : draft.upstream_secrets) add(host);
    add(draft.neardata_secrets);
    for (const auto& of : draft.endpoint_secrets)
        places.insert(places.end(), {&of.url, &of.secret, &of.previous_secret, &of.headers, &of.routing_key,
                                     &of.token, &of.password, &of.proxy});
    return places;
}

std::span<const Section> sections() { return kSections; }

std::span<const Key> keys() {
    static const std::vector<Key> all = [] {
        std::vector<Key> rows;
        for (const auto table : {source_keys(), daemon_keys(), watch_keys(), endpoint_keys(), watchdog_keys(),
                                 rule_keys(), trace_keys()})
            rows.insert(rows.end(), table.begin(), table.end());
        return rows;
    }();
    return all;
}

const Key* find_key(std::string_view section, std::string_view name) {
    for (const auto& key : keys())
        if (key.section == section && key.name == name) return &key;
    return nullptr;
}

std::vector<const Key*> keys_of(std::string_view section) {
    std::vector<const Key*> found;
    for (const auto& key : keys())
        if (key.section == section) found.push_back(&key);
    return found;
}

std::string to_toml(const Key& key, const Value& value) {
    switch (key.type) {
        case Type::choice: return in_quotes(key.choices[std::get<std::uint64_t>(value)]);
        case Type::integer: return std::to_string(std::get<std::uint64_t>(value));
        case Type::flag: return std::get<bool>(value) ? "true" : "false";
        case Type::decimal: return decimal(std::get<double>(value));
        case Type::bytes: return in_quotes(base::format_bytes(std::get<std::uint64_t>(value)));
        case Type::durations: {  // or a bound
            const auto* one = std::get_if<Millis>(&value);
            return one ? in_quotes(base::format_duration(*one))
                       : list_of_durations(std::get<std::vector<Millis>>(value));
        }
        case Type::mode: {
            std::array<char, 8> digits{};
            const auto mode = std::get<std::uint64_t>(value);
            const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), mode, 8).ptr;
            return in_quotes("0" + std::string(digits.data(), end));
        }
        case Type::networks:
        case Type::hosts:
        case Type::names:
        case Type::mailboxes:
        case Type::accounts: return list(std::get<std::vector<std::string>>(value));
        case Type::start: return start_text(std::get<Start>(value));
        case Type::duration:
        case Type::keep: {
            const auto duration = std::get<Millis>(value);
            return in_quotes(duration == kForever ? "forever" : base::format_duration(duration));
        }
        default: return in_quotes(std::get<std::string>(value));
    }
}

}  // namespace receiptd::config
