#include "config/endpoints.hpp"

#include "config/parse.hpp"

namespace receiptd::config {

namespace {

constexpr std::size_t kMostWaits = 32;

std::string path_of(std::size_t item) { return "endpoint[" + std::to_string(item) + "]"; }

void check_url(const Endpoint& endpoint, Position where, Report& report) {
    const auto& url = endpoint.url.reveal();
    if (url.find('#') != std::string::npos)
        report.error(where, "endpoint.url must not hold a fragment (#...): it is never sent");
    if (url.starts_with("http://") && !is_loopback_host(url_host(url)) && !endpoint.allow_http)
        report.error(where, "alerts would travel unencrypted to \"" + url_host(url) +
                                "\"; use https://, or set allow_http = true");
}

struct SecretOfEndpoint {
    std::string name;
    SecretPlace EndpointSecrets::*place;
    base::Secret Endpoint::*value;
    std::optional<std::string> (*fault)(std::string_view);
    Lines lines = Lines::one;
    bool required = false;
};

const SecretOfEndpoint kSecrets[] = {
    {"secret", &EndpointSecrets::secret, &Endpoint::secret, webhook_secret_fault, Lines::one, true},
    {"previous_secret", &EndpointSecrets::previous_secret, &Endpoint::previous_secret, webhook_secret_fault},
    {"headers", &EndpointSecrets::headers, &Endpoint::headers, headers_fault, Lines::several},
};

// A key that is there was refused already, for its form.
bool is_missing(const SecretOfEndpoint& which, const std::string& path, const Places& places) {
    return which.required && !places.has(path + "_env") && !places.has(path + "_file");
}

void resolve(SecretReader& reader, const SecretOfEndpoint& which, Draft& draft, std::size_t item,
             const Places& places, Report& report) {
    const auto& place = draft.endpoint_secrets[item].*which.place;
    const auto path = path_of(item) + "." + which.name;
    const auto name = "endpoint." + which.name;
    if (place.env.empty() && place.file.empty()) {
        if (is_missing(which, path, places))
            report.error(places.find(path_of(item)), name + "_env or " + name + "_file is missing");
        return;
    }
    auto secret = reader.read(path, place, which.lines);
    if (!secret) return;
    const auto* holder = place.env.empty() ? "_file" : "_env";
    if (const auto fault = which.fault(secret->reveal()))
        return report.error(places.find(path + holder),
                            name + holder + ": " + (which.lines == Lines::one ? "the secret " : "") + *fault);
    draft.settings.endpoints[item].*which.value = std::move(*secret);
}

}  // namespace

void check_endpoint_keys(const Settings& settings, const Places& places, Report& report) {
    for (std::size_t i = 0; i < settings.endpoints.size(); ++i) {
        const auto& endpoint = settings.endpoints[i];
        check_url(endpoint, places.find(path_of(i) + ".url"), report);
        if (endpoint.retry.empty() || endpoint.retry.size() > kMostWaits)
            report.error(places.find(path_of(i) + ".retry"),
                         "endpoint.retry must have 1 to " + std::to_string(kMostWaits) + " waits");
        if (endpoint.allow_private && !endpoint.allow_networks.empty())
            report.warning(places.find(path_of(i) + ".allow_networks"),
                           "endpoint.allow_networks changes nothing: allow_private allows all networks");
    }
}

void resolve_endpoint_secrets(SecretReader& reader, Draft& draft, const Places& places, Report& report) {
    for (std::size_t i = 0; i < draft.settings.endpoints.size(); ++i)
        for (const auto& which : kSecrets) resolve(reader, which, draft, i, places, report);
}

}  // namespace receiptd::config
