#include "config/binding.hpp"
#include "config/key_tables.hpp"

#include <algorithm>
#include <iterator>

namespace receiptd::config {

namespace {

using namespace binding;

// In the order of the enums in settings.hpp and base/log.hpp.
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

constexpr Key kDaemonKeys[] = {
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
     .at = secret_place<&Draft::database_url, &SecretPlace::env, &Settings::database, &Database::url>(),
     .help = "Environment variable that holds the address, instead of `url`."},
    {.section = "database",
     .name = "url_file",
     .type = Type::file,
     .at = secret_place<&Draft::database_url, &SecretPlace::file, &Settings::database, &Database::url>(),
     .help = "File that holds the address, instead of `url`."},
    {.section = "database",
     .name = "statement_timeout",
     .type = Type::duration,
     .at = setting<&Settings::database, &Database::statement_timeout>(),
     .help = "A statement of the daemon that takes longer is cancelled and tried again.",
     .min = 1'000,
     .max = 3'600'000},
    {.section = "database",
     .name = "connections",
     .type = Type::integer,
     .at = setting<&Settings::database, &Database::connections>(),
     .help = "Most connections of the daemon: `follow.writers`, and at least 10 for all other work (trees "
             "and watches, "
             "alerts, the stream, the API, maintenance), of which each kind has its own, so that none waits "
             "for another. "
             "More of them go to trees and watches and to the API. 0: `follow.writers` and 12.",
     .min = 0,
     .max = 256},
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
     .help = "`headers`: blocks and chunks only. `accounts`: also the trees that touch `accounts`: those "
             "of transactions they sign, receive or act in by delegation, and those of others that a receipt "
             "touches, with source `rpc` whole, if a host tells the receipt's transaction "
             "(`EXPERIMENTAL_receipt_to_tx`), with `neardata` from that receipt on. `all`: everything.",
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
     .name = "cpu_threads",
     .type = Type::integer,
     .at = setting<&Settings::follow, &Follow::cpu_threads>(),
     .help = "Threads that decompress and decode answers and make rows. 0: as many as there are cores.",
     .min = 0,
     .max = 256},
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
     .help = "Where `/livez`, `/readyz`, `/metrics` and `/v1` are served ([api.md](api.md)), in plain HTTP. "
             "Port 0 takes a free one and logs it. Whoever reaches it may read everything."},
    {.section = "http",
     .name = "token_env",
     .type = Type::env,
     .at = secret_place<&Draft::http_token, &SecretPlace::env, &Settings::http, &Http::token>(),
     .help = "Environment variable that holds the bearer token of all writes under `/v1`: 16 visible "
             "characters or more. Without a token nobody may write.",
     .reloadable = true},
    {.section = "http",
     .name = "token_file",
     .type = Type::file,
     .at = secret_place<&Draft::http_token, &SecretPlace::file, &Settings::http, &Http::token>(),
     .help = "File that holds the token, instead of `token_env`. Of the two only a file is read anew on "
             "SIGHUP: a process keeps its environment.",
     .reloadable = true},
    {.section = "http",
     .name = "public_url",
     .type = Type::url,
     .at = setting<&Settings::http, &Http::public_url>(),
     .help =
         "Where people reach this API, through a proxy or not: the links of webhooks begin with it. Without "
         "it they are paths.",
     .example = "\"https://receiptd.example.org\""},
    {.section = "retention",
     .name = "keep",
     .type = Type::keep,
     .at = setting<&Settings::retention, &Retention::keep>(),
     .help =
         "Partitions whose blocks are all older are dropped, and watches that ended before. `\"forever\"` "
         "keeps everything. Of several daemons on one database the longest holds, until its daemon is gone "
         "for a day.",
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

}  // namespace

std::span<const Key> daemon_keys() { return kDaemonKeys; }

}  // namespace receiptd::config
