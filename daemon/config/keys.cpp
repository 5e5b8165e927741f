#include "config/keys.hpp"

#include "config/binding.hpp"
#include "config/parse.hpp"

#include <algorithm>
#include <iterator>

namespace receiptd::config {

namespace {

using namespace binding;

constexpr Section kSections[] = {
    {"chain", SectionKind::table, "Which chain."},
    {"upstream", SectionKind::array,
     "JSON-RPC hosts, one `[[upstream]]` each, in order of preference. Several of each kind may stand "
     "here: health and budget decide who is asked."},
    {"neardata", SectionKind::optional, "The whole-block service, for `follow.source = \"neardata\"`."},
    {"timeouts", SectionKind::table, "Patience with all of them."},
    {"database", SectionKind::table, "Where everything is stored."},
    {"follow", SectionKind::table, "What is fetched and kept."},
    {"http", SectionKind::table, "What the daemon serves."},
    {"retention", SectionKind::table, "What it forgets."},
    {"log", SectionKind::table, "What it says, on standard error."},
};

// In the order of the enums in settings.hpp and base/log.hpp.
constexpr std::string_view kUpstreamKinds[] = {"regular", "archival"};
constexpr std::string_view kAuthForms[] = {"bearer", "query"};
constexpr std::string_view kSources[] = {"rpc", "neardata"};
constexpr std::string_view kScopes[] = {"headers", "accounts", "all"};
constexpr std::string_view kLevels[] = {"trace", "debug", "info", "warn", "error"};
constexpr std::string_view kFormats[] = {"plain", "json"};
constexpr std::string_view kWidths[] = {"day", "week", "month"};

// A choice that Settings keep as its word.
constexpr Binding kPartitionWidth = {
    [](const Draft& draft, std::size_t) -> Value {
        const auto found = std::ranges::find(kWidths, draft.settings.retention.partition);
        return static_cast<std::uint64_t>(found - std::begin(kWidths));
    },
    [](Draft& draft, std::size_t, const Value& value) {
        draft.settings.retention.partition = kWidths[std::get<std::uint64_t>(value)];
    }};

constexpr Key kKeys[] = {
    {.section = "chain",
     .name = "network",
     .type = Type::name,
     .at = setting<&Settings::network>(),
     .help = "The chain id: `mainnet`, `testnet` or the name of a network of your own. A database that "
             "holds another network is refused.",
     .example = "\"mainnet\""},

    {.section = "upstream",
     .name = "name",
     .type = Type::name,
     .at = upstream<&Upstream::name>(),
     .help = "What logs, metrics and `receiptd status` call this host. Unique.",
     .required = true,
     .example = "\"regular\""},
    {.section = "upstream",
     .name = "kind",
     .type = Type::choice,
     .at = upstream<&Upstream::kind>(),
     .help = "`regular` hosts hold the last few epochs, `archival` hosts everything. Old heights go to an "
             "archival host by themselves.",
     .example = "\"regular\"",
     .choices = kUpstreamKinds},
    {.section = "upstream",
     .name = "url",
     .type = Type::url,
     .at = upstream<&Upstream::url>(),
     .help = "JSON-RPC address.",
     .required = true,
     .example = "\"https://rpc.example.com\""},
    {.section = "upstream",
     .name = "api_key_env",
     .type = Type::env,
     .at = upstream_key<&SecretPlace::env>(),
     .help = "Environment variable that holds the API key. Without a key the host is asked anonymously.",
     .reloadable = true,
     .example = "\"RECEIPTD_API_KEY\""},
    {.section = "upstream",
     .name = "api_key_file",
     .type = Type::file,
     .at = upstream_key<&SecretPlace::file>(),
     .help = "File that holds the API key, instead of `api_key_env`. A relative path starts at the "
             "folder of the configuration file.",
     .reloadable = true},
    {.section = "upstream",
     .name = "auth",
     .type = Type::choice,
     .at = upstream<&Upstream::auth>(),
     .help = "How the key is sent: `bearer` as `Authorization: Bearer`, `query` as `?apiKey=`, which "
             "can end up in the logs of proxies.",
     .choices = kAuthForms},
    {.section = "upstream",
     .name = "max_requests_per_second",
     .type = Type::decimal,
     .at = upstream<&Upstream::max_requests_per_second>(),
     .help = "Budget of this host, shared by head, gaps and backfill in that order. 0: no limit.",
     .reloadable = true,
     .max = 100'000},
    {.section = "upstream",
     .name = "max_in_flight",
     .type = Type::integer,
     .at = upstream<&Upstream::max_in_flight>(),
     .help = "Most requests open at once, each on a connection of its own.",
     .min = 1,
     .max = 256},

    {.section = "neardata",
     .name = "url",
     .type = Type::url,
     .at = neardata<&Neardata::url>(),
     .help = "Address of the whole-block service; blocks are at `/v0/block/HEIGHT` below it.",
     .required = true,
     .example = "\"https://blocks.example.com\""},
    {.section = "neardata",
     .name = "api_key_env",
     .type = Type::env,
     .at = secret_place<&Draft::neardata_key, &SecretPlace::env>(),
     .help = "Environment variable that holds the API key.",
     .reloadable = true},
    {.section = "neardata",
     .name = "api_key_file",
     .type = Type::file,
     .at = secret_place<&Draft::neardata_key, &SecretPlace::file>(),
     .help = "File that holds the API key, instead of `api_key_env`.",
     .reloadable = true},
    {.section = "neardata",
     .name = "auth",
     .type = Type::choice,
     .at = neardata<&Neardata::auth>(),
     .help = "How the key is sent. The service redirects old heights to other hosts, where a bearer "
             "header would be lost: hence `query`.",
     .choices = kAuthForms},
    {.section = "neardata",
     .name = "max_requests_per_second",
     .type = Type::decimal,
     .at = neardata<&Neardata::max_requests_per_second>(),
     .help = "Budget of this service. 0: no limit; without a key 3 is what a public one allows.",
     .reloadable = true,
     .max = 100'000},
    {.section = "neardata",
     .name = "max_in_flight",
     .type = Type::integer,
     .at = neardata<&Neardata::max_in_flight>(),
     .help = "Most requests open at once.",
     .min = 1,
     .max = 256},

    {.section = "timeouts",
     .name = "connect",
     .type = Type::duration,
     .at = setting<&Settings::timeouts, &Timeouts::connect>(),
     .help = "Name look-up, TCP and TLS together.",
     .min = 100,
     .max = 120'000},
    {.section = "timeouts",
     .name = "request",
     .type = Type::duration,
     .at = setting<&Settings::timeouts, &Timeouts::request>(),
     .help = "From sending a request to the last byte of its answer.",
     .min = 100,
     .max = 600'000},
    {.section = "timeouts",
     .name = "max_response",
     .type = Type::bytes,
     .at = setting<&Settings::timeouts, &Timeouts::max_response_bytes>(),
     .help = "A longer answer (after decompression) is dropped and counts as a fault of the host.",
     .min = 1 << 16,
     .max = 1ull << 32},

    {.section = "database",
     .name = "url",
     .type = Type::secret,
     .at = setting<&Settings::database, &Database::url>(),
     .help = "PostgreSQL, as a `postgresql://` address or `key=value` words. Keep passwords out of this "
             "file: use `url_env`, `url_file` or a PostgreSQL password file.",
     .example = "\"postgresql://receiptd@127.0.0.1:5432/receiptd\""},
    {.section = "database",
     .name = "url_env",
     .type = Type::env,
     .at = secret_place<&Draft::database_url, &SecretPlace::env>(),
     .help = "Environment variable that holds the address, instead of `url`."},
    {.section = "database",
     .name = "url_file",
     .type = Type::file,
     .at = secret_place<&Draft::database_url, &SecretPlace::file>(),
     .help = "File that holds the address, instead of `url`."},
    {.section = "database",
     .name = "statement_timeout",
     .type = Type::duration,
     .at = setting<&Settings::database, &Database::statement_timeout>(),
     .help = "A statement of the daemon that takes longer is cancelled and tried again.",
     .min = 1'000,
     .max = 3'600'000},
    {.section = "database",
     .name = "readonly_role",
     .type = Type::name,
     .at = setting<&Settings::database, &Database::readonly_role>(),
     .help = "Role that `receiptd migrate` gives the right to read everything: for Grafana and people."},

    {.section = "follow",
     .name = "source",
     .type = Type::choice,
     .at = setting<&Settings::follow, &Follow::source>(),
     .help = "`rpc`: blocks and chunks from the upstreams, trees of transactions by "
             "`EXPERIMENTAL_tx_status`. `neardata`: whole blocks with all outcomes, one request a block.",
     .example = "\"rpc\"",
     .choices = kSources},
    {.section = "follow",
     .name = "scope",
     .type = Type::choice,
     .at = setting<&Settings::follow, &Follow::scope>(),
     .help = "`headers`: blocks and chunks only. `accounts`: also the trees that touch `accounts`: with "
             "source `rpc` those of transactions they sign, receive or "
             "act in by delegation; with `neardata` also others, from the first receipt that touches them. "
             "`all`: everything.",
     .example = "\"all\"",
     .choices = kScopes},
    {.section = "follow",
     .name = "start",
     .type = Type::start,
     .at = setting<&Settings::follow, &Follow::start>(),
     .help = "Where to begin: `\"head\"`, a height, or `\"resume\"`: after the highest stored height, "
             "in an empty database at the head.",
     .example = "\"resume\""},
    {.section = "follow",
     .name = "accounts",
     .type = Type::accounts,
     .at = setting<&Settings::follow, &Follow::accounts>(),
     .help = "The accounts of scope `accounts`."},
    {.section = "follow",
     .name = "writers",
     .type = Type::integer,
     .at = setting<&Settings::follow, &Follow::writers>(),
     .help = "Database connections that write at once. One is full at 60 to 90 large blocks a second.",
     .min = 1,
     .max = 16},
    {.section = "follow",
     .name = "fetch_ahead",
     .type = Type::integer,
     .at = setting<&Settings::follow, &Follow::fetch_ahead>(),
     .help = "Heights in flight at once. More hides the latency of a distant host and costs memory.",
     .min = 1,
     .max = 256},
    {.section = "follow",
     .name = "patience",
     .type = Type::duration,
     .at = setting<&Settings::follow, &Follow::patience>(),
     .help = "How long a height that cannot be had is waited for before it is a recorded gap. It is "
             "tried again for ever, beside the rest.",
     .min = 0,
     .max = 86'400'000},
    {.section = "follow",
     .name = "batch_blocks",
     .type = Type::integer,
     .at = setting<&Settings::follow, &Follow::batch_blocks>(),
     .help = "Most heights in one database transaction. At the head every block is its own.",
     .min = 1,
     .max = 1'000},
    {.section = "follow",
     .name = "batch_bytes",
     .type = Type::bytes,
     .at = setting<&Settings::follow, &Follow::batch_bytes>(),
     .help = "Most bytes of rows in one database transaction; a larger block goes alone.",
     .min = 1 << 16,
     .max = 1ull << 30},

    {.section = "http",
     .name = "listen",
     .type = Type::listen,
     .at = setting<&Settings::http, &Http::listen>(),
     .help = "Where `/livez`, `/readyz` and `/metrics` are served. Port 0 takes a free one and logs it."},
    {.section = "retention",
     .name = "keep",
     .type = Type::keep,
     .at = setting<&Settings::retention, &Retention::keep>(),
     .help = "Partitions whose blocks are all older are dropped. `\"forever\"` keeps everything.",
     .reloadable = true,
     .min = 86'400'000,
     .max = 100.0 * 366 * 86'400'000},
    {.section = "retention",
     .name = "partition",
     .type = Type::choice,
     .at = kPartitionWidth,
     .help = "Block time that one partition of a table holds. Fixed when `receiptd migrate` first meets a "
             "database.",
     .choices = kWidths},
    {.section = "log",
     .name = "level",
     .type = Type::choice,
     .at = setting<&Settings::log_level>(),
     .help = "The least important lines that are written.",
     .reloadable = true,
     .choices = kLevels},
    {.section = "log",
     .name = "format",
     .type = Type::choice,
     .at = setting<&Settings::log_format>(),
     .help = "`plain` for people, `json` for machines: one object a line.",
     .reloadable = true,
     .choices = kFormats},
};

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

std::string decimal(double number) {
    std::string text = std::to_string(number);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

std::string list(const std::vector<std::string>& items) {
    std::string text;
    for (const auto& item : items) text += (text.empty() ? "" : ", ") + quoted(item);
    return "[" + text + "]";
}

std::string start_text(const Start& start) {
    if (std::holds_alternative<StartAtHead>(start)) return quoted("head");
    if (std::holds_alternative<StartAtResume>(start)) return quoted("resume");
    return std::to_string(std::get<std::uint64_t>(start));
}

}  // namespace

std::span<const Section> sections() { return kSections; }

std::span<const Key> keys() { return kKeys; }

const Key* find_key(std::string_view section, std::string_view name) {
    for (const auto& key : kKeys)
        if (key.section == section && key.name == name) return &key;
    return nullptr;
}

std::vector<const Key*> keys_of(std::string_view section) {
    std::vector<const Key*> found;
    for (const auto& key : kKeys)
        if (key.section == section) found.push_back(&key);
    return found;
}

std::string to_toml(const Key& key, const Value& value) {
    switch (key.type) {
        case Type::choice: return quoted(key.choices[std::get<std::uint64_t>(value)]);
        case Type::integer: return std::to_string(std::get<std::uint64_t>(value));
        case Type::decimal: return decimal(std::get<double>(value));
        case Type::bytes: return quoted(format_bytes(std::get<std::uint64_t>(value)));
        case Type::accounts: return list(std::get<std::vector<std::string>>(value));
        case Type::start: return start_text(std::get<Start>(value));
        case Type::duration:
        case Type::keep: {
            const auto duration = std::get<Millis>(value);
            return quoted(duration == kForever ? "forever" : format_duration(duration));
        }
        default: return quoted(std::get<std::string>(value));
    }
}

}  // namespace receiptd::config
