#include "config/endpoints.hpp"

#include "config/channel_rules.hpp"
#include "config/parse.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace receiptd::config {

namespace {

constexpr std::size_t kMostWaits = 32;
constexpr unsigned kMostForPeople = 100;  // alerts in an hour
constexpr std::array<std::string_view, 4> kGroupedBy = {"rule", "receiver", "method", "error_class"};

std::string path_of(std::size_t item) { return item_path("endpoint", item); }

// `key`: the key of the file that gives the address, which may be secret.
void check_url(const Endpoint& endpoint, const std::string& key, Position where, Report& report) {
    const auto& url = endpoint.url.reveal();
    const bool is_mail = endpoint.channel.kind == channel::Kind::email;
    auto fault = is_mail ? smtp_url_fault(url) : url_fault(url);
    if (!fault && url.find('#') != std::string::npos)
        fault = "must not hold a fragment (#...): it is never sent";
    if (fault && key == "url") return report.error(where, "endpoint.url " + *fault);
    if (fault)
        return report.error(where, "endpoint." + key + " holds no address that can be used: " +
                                       (is_mail ? "smtps://HOST" : "https://HOST/PATH") +
                                       ", without user, password and fragment");
    if (url.starts_with("http://") && !is_loopback_host(url_host(url)) && !endpoint.allow_http)
        report.error(where, "alerts would travel unencrypted to \"" + url_host(url) +
                                "\"; use https://, or set allow_http = true");
}

void check_group(const std::vector<std::string>& group, const std::string& path, const Places& places,
                 Report& report) {
    for (std::size_t n = 0; n < group.size(); ++n)
        if (std::find(kGroupedBy.begin(), kGroupedBy.end(), group[n]) == kGroupedBy.end())
            report.error(places.find(item_path(path, n)),
                         "endpoint.group must hold \"rule\", \"receiver\", \"method\" or "
                         "\"error_class\", not \"" +
                             group[n] + "\"");
}

void resolve_url(SecretReader& reader, Draft& draft, std::size_t item, const Places& places, Report& report) {
    auto& endpoint = draft.settings.endpoints[item];
    const auto& place = draft.endpoint_secrets[item].url;
    const std::string key = !place.env.empty() ? "url_env" : !place.file.empty() ? "url_file" : "url";
    const auto where = places.find(path_of(item) + "." + key);
    if (key != "url" && places.has(path_of(item) + ".url"))
        return report.error(where, "endpoint." + key + " is contradicted by url: give one of them");
    if (auto secret = reader.read(path_of(item) + ".url", place)) endpoint.url = std::move(*secret);
    if (!endpoint.url.empty()) check_url(endpoint, key, where, report);
}

template <auto Member>
base::Secret& of_endpoint(Endpoint& endpoint) {
    return endpoint.*Member;
}
template <auto Member>
base::Secret& of_channel(Endpoint& endpoint) {
    return endpoint.channel.*Member;
}

struct SecretOfEndpoint {
    std::string name;
    SecretPlace EndpointSecrets::*place;
    base::Secret& (*value)(Endpoint&);
    std::optional<std::string> (*fault)(std::string_view);
    Lines lines = Lines::one;
};

std::optional<std::string> any_password(std::string_view) { return std::nullopt; }

const SecretOfEndpoint kSecrets[] = {
    {"secret", &EndpointSecrets::secret, of_endpoint<&Endpoint::secret>, webhook_secret_fault},
    {"previous_secret", &EndpointSecrets::previous_secret, of_endpoint<&Endpoint::previous_secret>,
     webhook_secret_fault},
    {"headers", &EndpointSecrets::headers, of_endpoint<&Endpoint::headers>, headers_fault, Lines::several},
    {"routing_key", &EndpointSecrets::routing_key, of_channel<&channel::Settings::routing_key>,
     routing_key_fault},
    {"password", &EndpointSecrets::password, of_channel<&channel::Settings::password>, any_password},
    {"token", &EndpointSecrets::token, of_channel<&channel::Settings::token>, bot_token_fault},
};

void resolve(SecretReader& reader, const SecretOfEndpoint& which, Draft& draft, std::size_t item,
             const Places& places, Report& report) {
    const auto& place = draft.endpoint_secrets[item].*which.place;
    const auto path = path_of(item) + "." + which.name;
    const auto name = "endpoint." + which.name;
    auto secret = reader.read(path, place, which.lines);
    if (!secret) return;
    const auto* holder = place.env.empty() ? "_file" : "_env";
    if (const auto fault = which.fault(secret->reveal()))
        return report.error(places.find(path + holder),
                            name + holder + ": " + (which.lines == Lines::one ? "the secret " : "") + *fault);
    which.value(draft.settings.endpoints[item]) = std::move(*secret);
}

}  // namespace

void spare_people(Draft& draft, const Places& places) {
    for (std::size_t i = 0; i < draft.settings.endpoints.size(); ++i) {
        auto& endpoint = draft.settings.endpoints[i];
        if (endpoint.channel.kind == channel::Kind::json) continue;
        if (!places.has(path_of(i) + ".group"))
            endpoint.channel.group.assign(kGroupedBy.begin(), kGroupedBy.end());
        // An incident that is withheld from these would be missed.
        const bool has_incidents = endpoint.channel.kind == channel::Kind::pagerduty ||
                                   endpoint.channel.kind == channel::Kind::alertmanager;
        if (!has_incidents && !places.has(path_of(i) + ".most_per_hour"))
            endpoint.most_per_hour = kMostForPeople;
    }
}

void check_endpoint_keys(const Settings& settings, const Places& places, Report& report) {
    for (std::size_t i = 0; i < settings.endpoints.size(); ++i) {
        const auto& endpoint = settings.endpoints[i];
        check_channel(endpoint, path_of(i), places, report);
        if (endpoint.retry.empty() || endpoint.retry.size() > kMostWaits)
            report.error(places.find(path_of(i) + ".retry"),
                         "endpoint.retry must have 1 to " + std::to_string(kMostWaits) + " waits");
        check_group(endpoint.channel.group, path_of(i) + ".group", places, report);
        if (endpoint.allow_private && !endpoint.allow_networks.empty())
            report.warning(places.find(path_of(i) + ".allow_networks"),
                           "endpoint.allow_networks changes nothing: allow_private allows all networks");
    }
}

void resolve_endpoint_secrets(SecretReader& reader, Draft& draft, const Places& places, Report& report) {
    for (std::size_t i = 0; i < draft.settings.endpoints.size(); ++i) {
        resolve_url(reader, draft, i, places, report);
        for (const auto& which : kSecrets) resolve(reader, which, draft, i, places, report);
    }
}

}  // namespace receiptd::config
