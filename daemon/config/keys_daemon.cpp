#include "config/binding.hpp"
#include "config/key_tables.hpp"

#include <iterator>

namespace receiptd::config {

namespace {

using namespace binding;

// In the order of the enums in settings.hpp and base/log.hpp.
constexpr std::string_view kScopes[] = {"headers", "accounts", "all"};
constexpr std::string_view kLevels[] = {"trace", "debug", "info", "warn", "error"};
constexpr std::string_view kFormats[] = {"plain", "json"};

constexpr Key kDaemonKeys[] = {
    {.section = "config",
     .name = "watch",
     .type = Type::flag,
     .at = setting<&Settings::watches_files>(),
     .help = "Reloads the configuration when this file, a list's file or a secret's file changes, as SIGHUP "
             "does, "
             "within 5 seconds. A file with errors changes nothing. What Kubernetes does to mounted "
             "ConfigMaps and Secrets is such a change.",
     .reloadable = true},

    {.section = "database",
     .name = "url",
     .type = Type::secret,
     .at = setting<&Settings::database, &Database::url>(),
     .help =
         "Address of the PostgreSQL database: a `postgresql://` URL or `key=value` words. Do not put a "
         "password into this file; use `url_env`, `url_file` or a PostgreSQL password file. For a server on "
         "another machine add `sslmode=verify-full`, or the connection may be unencrypted.",
     .example = "\"postgresql://receiptd@127.0.0.1:5432/receiptd\""},
    {.section = "database",
     .name = "url_env",
     .type = Type::env,
     .at = secret_place<&Draft::database_url, &SecretPlace::env, &Settings::database, &Database::url>(),
     .help = "Environment variable that contains the address. Replaces `url`."},
    {.section = "database",
     .name = "url_file",
     .type = Type::file,
     .at = secret_place<&Draft::database_url, &SecretPlace::file, &Settings::database, &Database::url>(),
     .help = "File that contains the address. Replaces `url`."},
    {.section = "database",
     .name = "statement_timeout",
     .type = Type::duration,
     .at = setting<&Settings::database, &Database::statement_timeout>(),
     .help = "Timeout of one SQL statement of the daemon. The statement is cancelled and repeated, each time "
             "with twice the time, up to 64 times as much.",
     .min = 1'000,
     .max = 3'600'000},
    {.section = "database",
     .name = "connections",
     .type = Type::integer,
     .at = setting<&Settings::database, &Database::connections>(),
     .help = "Maximum number of database connections of the daemon: `follow.writers`, and at least 11 for "
             "all other work (the lease, trees and watches, alerts, the stream, the API, maintenance). Each "
             "kind of work has its own connections, so none waits for another. Additional connections go to "
             "trees and watches, and to the API. 0: `follow.writers` and 14. A test of rules on history "
             "(`POST /v1/rules/test`) has one more while it runs.",
     .min = 0,
     .max = 256},
    {.section = "database",
     .name = "readonly_role",
     .type = Type::name,
     .at = setting<&Settings::database, &Database::readonly_role>(),
     .help = "Role that may read, for Grafana and for people; not signed transactions, idempotency keys and "
             "bodies of alerts (roles.md). `receiptd migrate` creates it, if the owner of the database may "
             "create "
             "roles, and grants the rights. A role that was named here before loses them."},

    {.section = "follow",
     .name = "source",
     .type = Type::choice,
     .at = setting<&Settings::follow, &Follow::source>(),
     .help = "`rpc`: blocks and chunks from the upstreams, and the trees of transactions by "
             "`tx_status`. `neardata`: whole blocks with all outcomes, one request per block. `indexer`: the "
             "same from the upstreams themselves (`EXPERIMENTAL_indexer_block` of nearcore 2.14, with "
             "`rpc.enable_indexer_rpc` and all shards tracked), two requests per block.",
     .example = "\"rpc\"",
     .choices = kSourceNames},
    {.section = "follow",
     .name = "scope",
     .type = Type::choice,
     .at = setting<&Settings::follow, &Follow::scope>(),
     .help = "`headers`: only blocks and chunks. `accounts`: also the trees that touch one of `accounts`. "
             "These are the trees of transactions that such an account signs, receives or sends through a "
             "relayer. They are also the trees of other transactions if one of their receipts touches such "
             "an account: with source `neardata` from that receipt on, with source `rpc` the whole tree if a "
             "host returns the transaction of the receipt (`EXPERIMENTAL_receipt_to_tx`). `all`: everything.",
     .example = "\"all\"",
     .choices = kScopes},
    {.section = "follow",
     .name = "start",
     .type = Type::start,
     .at = setting<&Settings::follow, &Follow::start>(),
     .help = "Where an empty database begins: at the head, or at a height. It has no effect on a database "
             "that holds blocks: the daemon goes on where these end, and what happened in the meantime is a "
             "gap, which it fills. `receiptd backfill` adds earlier heights, `receiptd skip` gives gaps up. "
             "`\"resume\"`, of earlier versions, means the same as `\"head\"`.",
     .example = "\"head\""},
    {.section = "follow",
     .name = "accounts",
     .type = Type::accounts,
     .at = setting<&Settings::follow, &Follow::accounts>(),
     .help = "The accounts for scope `accounts`. The database remembers them: one that is added is followed "
             "from then on by all daemons on it, and one that is taken away here is still followed.",
     .reloadable = true},
    {.section = "follow",
     .name = "writers",
     .type = Type::integer,
     .at = setting<&Settings::follow, &Follow::writers>(),
     .help = "Number of database connections that write blocks. One connection writes at most 60 to 90 large "
             "blocks per second.",
     .min = 1,
     .max = 16},
    {.section = "follow",
     .name = "cpu_threads",
     .type = Type::integer,
     .at = setting<&Settings::follow, &Follow::cpu_threads>(),
     .help = "Number of threads that decompress and decode answers and prepare rows. 0: one per core.",
     .min = 0,
     .max = 256},
    {.section = "follow",
     .name = "fetch_ahead",
     .type = Type::integer,
     .at = setting<&Settings::follow, &Follow::fetch_ahead>(),
     .help = "Maximum number of heights that are fetched at the same time. A higher number hides the latency "
             "of a distant host and needs more memory.",
     .min = 1,
     .max = 256},
    {.section = "follow",
     .name = "optimistic",
     .type = Type::flag,
     .at = setting<&Settings::follow, &Follow::optimistic>(),
     .help =
         "While a watched transaction waits for a block, blocks are looked through before they are final, "
         "so that its inclusion is reported some blocks earlier, with `final: false`. It costs one request "
         "per block."},
    {.section = "follow",
     .name = "patience",
     .type = Type::duration,
     .at = setting<&Settings::follow, &Follow::patience>(),
     .help = "If a height is not available for this long, it is recorded as a gap and receiptd continues "
             "with the next heights. Gaps are retried in the background until they are filled.",
     .min = 0,
     .max = 86'400'000},
    {.section = "follow",
     .name = "batch_blocks",
     .type = Type::integer,
     .at = setting<&Settings::follow, &Follow::batch_blocks>(),
     .help = "Maximum number of heights in one database transaction. At the head every block has its own "
             "transaction.",
     .min = 1,
     .max = 1'000},
    {.section = "follow",
     .name = "batch_bytes",
     .type = Type::bytes,
     .at = setting<&Settings::follow, &Follow::batch_bytes>(),
     .help = "Maximum size of the rows in one database transaction. A larger block gets its own transaction.",
     .min = 1 << 16,
     .max = 1ull << 30},

    {.section = "http",
     .name = "listen",
     .type = Type::listen,
     .at = setting<&Settings::http, &Http::listen>(),
     .help =
         "Address on which the daemon serves `/livez`, `/readyz`, `/metrics` and `/v1` "
         "([api.md](api.md)), as plain HTTP: `host:port`, or `unix:/path` for a Unix socket. Port 0 takes a "
         "free port and logs it. Without a read token, anyone who can connect can read all data."},
    {.section = "http",
     .name = "socket_mode",
     .type = Type::mode,
     .at = setting<&Settings::http, &Http::socket_mode>(),
     .help = "Access rights of the Unix socket's file, in octal."},
    {.section = "http",
     .name = "allowed_hosts",
     .type = Type::hosts,
     .at = setting<&Settings::http, &Http::allowed_hosts>(),
     .help =
         "Host names by which clients may call this server, for example that of a container's service. IP "
         "addresses, `localhost` and the host of `public_url` are always allowed. Requests with another name "
         "in "
         "their `Host` header get 421, except `/livez` and `/readyz`.",
     .reloadable = true},
    {.section = "http",
     .name = "token_env",
     .type = Type::env,
     .at = secret_place<&Draft::http_token, &SecretPlace::env, &Settings::http, &Http::token>(),
     .help = "Environment variable that contains the bearer token for all writes under `/v1`: at least 16 "
             "visible characters. Without a token, writes are not possible.",
     .reloadable = true},
    {.section = "http",
     .name = "token_file",
     .type = Type::file,
     .at = secret_place<&Draft::http_token, &SecretPlace::file, &Settings::http, &Http::token>(),
     .help = "File that contains the token. Replaces `token_env`. Only a file can change on SIGHUP: the "
             "environment of a running process does not change.",
     .reloadable = true},
    {.section = "http",
     .name = "read_token_env",
     .type = Type::env,
     .at = secret_place<&Draft::http_read_token, &SecretPlace::env, &Settings::http, &Http::read_token>(),
     .help =
         "Environment variable that contains the token for reads: at least 16 visible characters. With it, "
         "everything except `/livez` and `/readyz` needs this token or the one for writes. Browsers ask for "
         "it "
         "as a password.",
     .reloadable = true},
    {.section = "http",
     .name = "read_token_file",
     .type = Type::file,
     .at = secret_place<&Draft::http_read_token, &SecretPlace::file, &Settings::http, &Http::read_token>(),
     .help = "File that contains the token for reads. Replaces `read_token_env`. SIGHUP reads it again.",
     .reloadable = true},
    {.section = "http",
     .name = "open_metrics",
     .type = Type::flag,
     .at = setting<&Settings::http, &Http::metrics_are_open>(),
     .help = "`/metrics` needs no read token.",
     .reloadable = true},
    {.section = "http",
     .name = "public_url",
     .type = Type::url,
     .at = setting<&Settings::http, &Http::public_url>(),
     .help = "Address under which people reach this API, for example that of a proxy. The links in webhooks "
             "start with it; without it they are paths.",
     .example = "\"https://receiptd.example.org\""},
    {.section = "retention",
     .name = "receipts",
     .type = Type::keep,
     .at = setting<&Settings::retention, &Retention::receipts>(),
     .help =
         "How long blocks, transactions, receipts and events are kept. A partition is dropped when all its "
         "blocks are older (`receiptd partitions` shows how wide they are). If several daemons share a "
         "database, the longest value is used, until its "
         "daemon has been gone for a day.",
     .reloadable = true,
     .min = 86'400'000,
     .max = 100.0 * 366 * 86'400'000},
    {.section = "retention",
     .name = "results",
     .type = Type::keep,
     .at = setting<&Settings::retention, &Retention::results>(),
     .help =
         "How long the results of transactions, findings, and watches that ended are kept: what became of a "
         "transaction, in a hundredth of the space. Not shorter than `receipts`.",
     .reloadable = true,
     .min = 86'400'000,
     .max = 100.0 * 366 * 86'400'000},
    {.section = "log",
     .name = "level",
     .type = Type::choice,
     .at = setting<&Settings::log_level>(),
     .help = "Minimum level of the lines that are written.",
     .reloadable = true,
     .choices = kLevels},
    {.section = "log",
     .name = "format",
     .type = Type::choice,
     .at = setting<&Settings::log_format>(),
     .help = "`plain` for people; `json` for programs, one object per line.",
     .reloadable = true,
     .choices = kFormats},
};

}  // namespace

std::span<const Key> daemon_keys() { return kDaemonKeys; }

}  // namespace receiptd::config
