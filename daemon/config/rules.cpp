#include "config/rules.hpp"

#include "chain/json/errors.hpp"
#include "config/endpoints.hpp"
#include "config/outgoing.hpp"
#include "config/parse.hpp"
#include "config/secret_reader.hpp"
#include "config/traces.hpp"
#include "config/watchdog.hpp"

#include <algorithm>
#include <map>

namespace receiptd::config {

namespace {

constexpr std::size_t kShortestToken = 16;

std::string upstream_path(std::size_t item) { return item_path("upstream", item); }

void check_source(const Draft& draft, const Places& places, Report& report) {
    const auto& settings = draft.settings;
    const auto where = places.find("follow.source");
    const auto source = std::string(to_string(settings.follow.source));
    if (settings.follow.source != Source::neardata && settings.upstreams.empty())
        report.error(where, "follow.source \"" + source + "\" needs at least one [[upstream]]");
    if (settings.follow.source == Source::neardata && !settings.neardata)
        report.error(where, "follow.source \"neardata\" needs a section [neardata] with its url");
}

void check_scope(const Draft& draft, const Places& places, Report& report) {
    const auto& follow = draft.settings.follow;
    const bool has_list = places.has("follow.accounts");
    if (follow.scope == ScopeName::accounts && !has_list)
        report.error(places.find("follow.scope"), "follow.scope \"accounts\" needs the list follow.accounts");
    if (follow.scope == ScopeName::accounts && has_list && follow.accounts.empty() &&
        !places.has("follow.accounts[0]"))
        report.error(places.find("follow.accounts"), "follow.accounts must name at least one account");
    if (follow.scope != ScopeName::accounts && has_list)
        report.error(
            places.find("follow.accounts"),
            "follow.accounts is contradicted by follow.scope: it counts only with scope \"accounts\"");
}

// Entries of an array section are told apart by their names.
template <class Entry>
void check_names(std::string_view section, const std::vector<Entry>& entries, const Places& places,
                 Report& report) {
    const auto place = [&](std::size_t item) { return places.find(item_path(section, item) + ".name"); };
    std::map<std::string, std::size_t> first_with;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (entries[i].name.empty()) continue;
        const auto [known, fresh] = first_with.emplace(entries[i].name, i);
        if (fresh) continue;
        report.error(place(i), std::string(section) + ".name \"" + entries[i].name +
                                   "\" is taken by the one in line " +
                                   std::to_string(place(known->second).line));
    }
}

void check_connections(const Draft& draft, const Places& places, Report& report) {
    const auto connections = draft.settings.database.connections;
    const auto writers = draft.settings.follow.writers;
    const auto least = writers + Database::kLeastBesideWriters;
    if (connections == 0 || connections >= least) return;
    report.error(places.find("database.connections"),
                 "database.connections must be at least " + std::to_string(least) + ": follow.writers (" +
                     std::to_string(writers) + ") and " + std::to_string(Database::kLeastBesideWriters) +
                     " for all other work");
}

void check_explorer(const Draft& draft, const Places& places, Report& report) {
    const auto& url = draft.settings.explorer_url;
    if (!url.empty() && url.find("{tx_hash}") == std::string::npos)
        report.error(places.find("alerts.explorer_url"),
                     "alerts.explorer_url needs {tx_hash} where the hash of the transaction goes");
}

void check_public_url(const Draft& draft, const Places& places, Report& report) {
    if (draft.settings.http.public_url.find_first_of("?#") != std::string::npos)
        report.error(places.find("http.public_url"),
                     "http.public_url must not hold a query or fragment: paths are put behind it");
}

void check_watch_rules(const Draft& draft, const Places& places, Report& report) {
    const auto& rules = draft.settings.watch_rules;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const auto path = "watch[" + std::to_string(i) + "]";
        const bool given =
            places.has(path + ".signer") || places.has(path + ".receiver") || places.has(path + ".method");
        if (!given)
            report.error(places.find(path),
                         "watch needs signer, receiver or method; \"*\" matches everything");
    }
}

void check_expected(const Draft& draft, const Places& places, Report& report) {
    for (std::size_t i = 0; i < draft.settings.expected.size(); ++i) {
        const auto path = "expected[" + std::to_string(i) + "]";
        const bool given = places.has(path + ".contract") || places.has(path + ".method") ||
                           places.has(path + ".error_class");
        if (!given)
            report.error(places.find(path),
                         "expected needs contract, method or error_class; \"*\" matches everything");
        if (const auto meant = chain::meant_error_class(draft.settings.expected[i].error_class))
            report.warning(places.find(path + ".error_class"),
                           "expected.error_class \"" + draft.settings.expected[i].error_class +
                               "\" is not known; did you mean \"" + std::string(*meant) + "\"?");
    }
}

// A key over plain http can be read on the way.
void check_clear_text(const std::string& path, const std::string& url, const SecretPlace& key,
                      const Places& places, Report& report) {
    const bool has_key = !key.env.empty() || !key.file.empty();
    if (!has_key || !url.starts_with("http://") || is_loopback_host(url_host(url))) return;
    report.warning(places.find(path + ".url"),
                   "the API key would travel unencrypted to \"" + url_host(url) + "\"; use https://");
}

void check_listen(const Draft& draft, const Places& places, Report& report) {
    const auto& listen = draft.settings.http.listen;
    const bool has_token = !draft.http_read_token.env.empty() || !draft.http_read_token.file.empty();
    if (has_token || listen.starts_with("unix:") || is_loopback_host(url_host("http://" + listen))) return;
    report.warning(places.find("http.listen"),
                   "everybody who reaches " + listen +
                       " can read transactions, watches and findings: set http.read_token_file, or listen on "
                       "127.0.0.1 or a Unix socket");
}

void check_key_in_url(const std::string& path, const std::string& url, const Places& places, Report& report) {
    if (seems_to_hold_a_key(url))
        report.warning(places.find(path + ".url"),
                       "the address seems to hold a key, and everybody may read this file: chmod o-r");
}

void resolve_api_key(SecretReader& reader, const std::string& path, const SecretPlace& place,
                     base::Secret& key, const Places& places, Report& report) {
    auto secret = reader.read(path + ".api_key", place);
    if (!secret) return;
    if (secret->reveal().find(' ') == std::string::npos) {
        key = std::move(*secret);
        return;
    }
    report.error(places.find(path + (place.env.empty() ? ".api_key_file" : ".api_key_env")),
                 "the API key must not hold a space");
}

// `stem`: "http.token".
void resolve_token(SecretReader& reader, const std::string& stem, const SecretPlace& place,
                   base::Secret& token, const Places& places, Report& report) {
    auto secret = reader.read(stem, place);
    if (!secret) return;
    const auto& text = secret->reveal();
    const bool visible = std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
    const std::string key = stem + (place.env.empty() ? "_file" : "_env");
    if (text.size() < kShortestToken || !visible)
        return report.error(places.find(key), key + ": the token needs " + std::to_string(kShortestToken) +
                                                  " visible ASCII characters or more, and no spaces");
    token = std::move(*secret);
}

// Results are kept at least as long as the receipts that prove them.
void check_retention(const Draft& draft, const Places& places, Report& report) {
    const auto& [receipts, results] = draft.settings.retention;
    if (!results || (receipts && *receipts <= *results)) return;
    report.error(places.find("retention.results"),
                 "retention.results is shorter than retention.receipts: results are kept at least as long");
}

void resolve_database(SecretReader& reader, Draft& draft, const Places& places, Report& report) {
    const char* given = places.has("database.url") ? "database.url" : nullptr;
    for (const char* key : {"database.url_env", "database.url_file"}) {
        if (!places.has(key)) continue;
        if (given && std::string_view(given) == "database.url")
            report.error(places.find(key),
                         std::string(key) + " is contradicted by database.url: give one of them");
        given = key;
    }
    if (!given)
        return report.error(places.find("database"),
                            "database.url is missing (or database.url_env, database.url_file)");
    if (auto secret = reader.read("database.url", draft.database_url))
        draft.settings.database.url = std::move(*secret);
    if (draft.settings.database.url.empty()) return;
    if (const auto fault = database_url_fault(draft.settings.database.url.reveal()))
        report.error(places.find(given), "database.url " + *fault);
}

}  // namespace

void check_alert_names(const Draft& draft, const Places& places, Report& report) {
    check_names("endpoint", draft.settings.endpoints, places, report);
    check_names("rule", draft.settings.rules, places, report);
    check_names("list", draft.settings.lists, places, report);
}

void check_rules(const Draft& draft, const Places& places, Report& report) {
    check_retention(draft, places, report);
    check_source(draft, places, report);
    check_scope(draft, places, report);
    check_names("upstream", draft.settings.upstreams, places, report);
    check_alert_names(draft, places, report);
    check_endpoint_keys(draft.settings, places, report);
    check_watchdog(draft.settings, places, report);
    check_connections(draft, places, report);
    check_public_url(draft, places, report);
    check_listen(draft, places, report);
    check_explorer(draft, places, report);
    check_names("watch", draft.settings.watch_rules, places, report);
    check_watch_rules(draft, places, report);
    check_names("expected", draft.settings.expected, places, report);
    check_expected(draft, places, report);
    const auto& settings = draft.settings;
    for (std::size_t i = 0; i < settings.upstreams.size(); ++i)
        check_clear_text(upstream_path(i), settings.upstreams[i].url, draft.upstream_secrets[i].api_key,
                         places, report);
    if (settings.neardata)
        check_clear_text("neardata", settings.neardata->url, draft.neardata_secrets.api_key, places, report);
}

void check_keys_in_urls(const Settings& settings, const Places& places, Report& report) {
    for (std::size_t i = 0; i < settings.upstreams.size(); ++i)
        check_key_in_url(upstream_path(i), settings.upstreams[i].url, places, report);
    if (settings.neardata) check_key_in_url("neardata", settings.neardata->url, places, report);
}

void resolve_secrets(Draft& draft, const Places& places, const std::filesystem::path& folder,
                     const Environment& environment, Report& report) {
    SecretReader reader(folder, environment, places, report);
    for (std::size_t i = 0; i < draft.settings.upstreams.size(); ++i)
        resolve_api_key(reader, upstream_path(i), draft.upstream_secrets[i].api_key,
                        draft.settings.upstreams[i].api_key, places, report);
    if (draft.settings.neardata)
        resolve_api_key(reader, "neardata", draft.neardata_secrets.api_key, draft.settings.neardata->api_key,
                        places, report);
    resolve_endpoint_secrets(reader, draft, places, report);
    auto& http = draft.settings.http;
    resolve_token(reader, "http.token", draft.http_token, http.token, places, report);
    resolve_token(reader, "http.read_token", draft.http_read_token, http.read_token, places, report);
    resolve_ping_url(reader, draft, places, report);
    resolve_trace_headers(reader, draft, places, report);
    resolve_proxies(reader, draft, places, environment, report);
    resolve_ca_files(draft.settings, places, folder, report);
    resolve_database(reader, draft, places, report);
}

}  // namespace receiptd::config
