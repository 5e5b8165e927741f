#include "config/outgoing.hpp"

#include "base/ascii.hpp"
#include "base/proxy.hpp"
#include "channel/channel.hpp"
#include "config/parse.hpp"

#include <fstream>
#include <string>
#include <string_view>

namespace receiptd::config {

namespace {

constexpr std::string_view kNone = "none";

// `path`: "upstream[0]" of "upstream".
std::string section_of(const std::string& path) { return path.substr(0, path.find('[')); }

class Proxies {
public:
    Proxies(SecretReader& reader, const Places& places, const Environment& environment, Report& report)
        : reader_(reader), places_(places), environment_(environment), report_(report) {}

    // `path`: "upstream[0]".
    void resolve(const std::string& path, const std::string& url, const SecretPlace& place,
                 base::Secret& proxy) {
        const auto stem = path + ".proxy";
        const bool is_in_file = places_.has(stem);
        if (auto secret = reader_.read(stem, place)) {
            if (is_in_file)
                return report_.error(places_.find(stem), name_of(path) + ": give one place of the proxy");
            proxy = std::move(*secret);
        }
        if (proxy.empty()) return of_environment(url, proxy);
        if (proxy.reveal() == kNone) return void(proxy = base::Secret());
        const auto parsed = base::parse_proxy(proxy.reveal());
        const auto where = places_.find(is_in_file ? stem : stem + (place.env.empty() ? "_file" : "_env"));
        if (!parsed) return report_.error(where, name_of(path) + " " + parsed.error().text);
        if (is_in_file && !parsed->login.empty())
            report_.error(where, name_of(path) +
                                     " must not hold a user or password; they go to proxy_env or proxy_file");
    }

    void of_environment(const std::string& url, base::Secret& proxy) {
        const bool tls = url.starts_with("https://");
        const auto host = url_host(url);
        if (host.empty() || is_loopback_host(host)) return;
        const auto* name = tls ? "HTTPS_PROXY" : "HTTP_PROXY";
        const auto found = variable(name);
        if (found.empty() || base::is_without_proxy(variable("NO_PROXY"), host, url_port(url))) return;
        if (const auto parsed = base::parse_proxy(found); !parsed)
            return report_.error({}, std::string("the environment variable ") + name + " " +
                                         parsed.error().text + "; it is for \"" + host + "\"");
        proxy = base::Secret(found);
    }

private:
    static std::string name_of(const std::string& path) { return section_of(path) + ".proxy"; }

    // Programs do not agree on the letters.
    std::string variable(std::string name) const {
        const auto value = environment_(base::lowered(name));
        return value && !value->empty() ? *value : environment_(name).value_or("");
    }

    SecretReader& reader_;
    const Places& places_;
    const Environment& environment_;
    Report& report_;
};

void resolve_ca_file(std::string& file, const std::string& path, const Places& places,
                     const std::filesystem::path& folder, Report& report) {
    if (file.empty()) return;
    file = (folder / file).string();
    if (!std::ifstream(file))
        report.error(places.find(path + ".ca_file"),
                     section_of(path) + ".ca_file: \"" + file + "\" cannot be read");
}

}  // namespace

void resolve_proxies(SecretReader& reader, Draft& draft, const Places& places, const Environment& environment,
                     Report& report) {
    auto& settings = draft.settings;
    Proxies proxies(reader, places, environment, report);
    for (std::size_t i = 0; i < settings.upstreams.size(); ++i)
        proxies.resolve(item_path("upstream", i), settings.upstreams[i].url, draft.upstream_secrets[i].proxy,
                        settings.upstreams[i].proxy);
    if (settings.neardata)
        proxies.resolve("neardata", settings.neardata->url, draft.neardata_secrets.proxy,
                        settings.neardata->proxy);
    for (std::size_t i = 0; i < settings.endpoints.size(); ++i) {
        auto& endpoint = settings.endpoints[i];
        const auto url = endpoint.url.empty() ? std::string(channel::default_url(endpoint.channel.kind))
                                              : endpoint.url.reveal();
        // An empty address is of e-mail: no proxy of the environment is for it.
        const bool is_mail = endpoint.channel.kind == channel::Kind::email;
        proxies.resolve(item_path("endpoint", i), is_mail ? std::string() : url,
                        draft.endpoint_secrets[i].proxy, endpoint.proxy);
        if (is_mail && !endpoint.proxy.empty())
            report.error(places.find(item_path("endpoint", i) + ".channel"),
                         "endpoint.proxy: e-mail does not go through an HTTP proxy");
    }
    proxies.of_environment(settings.watchdog.ping_url.reveal(), settings.watchdog.ping_proxy);
    proxies.of_environment(settings.traces.otlp_url, settings.traces.proxy);
}

void resolve_ca_files(Settings& settings, const Places& places, const std::filesystem::path& folder,
                      Report& report) {
    for (std::size_t i = 0; i < settings.upstreams.size(); ++i)
        resolve_ca_file(settings.upstreams[i].ca_file, item_path("upstream", i), places, folder, report);
    if (settings.neardata) resolve_ca_file(settings.neardata->ca_file, "neardata", places, folder, report);
    for (std::size_t i = 0; i < settings.endpoints.size(); ++i)
        resolve_ca_file(settings.endpoints[i].ca_file, item_path("endpoint", i), places, folder, report);
    resolve_ca_file(settings.traces.ca_file, "traces", places, folder, report);
}

}  // namespace receiptd::config
