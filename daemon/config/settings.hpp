// The configuration as plain values. Names, defaults, bounds and texts of the keys are in the one
// key table of config/keys*.cpp; docs/configuration.md is made from it.
#pragma once

#include "base/log.hpp"
#include "base/secret.hpp"
#include "chain/json/protocol.hpp"
#include "channel/settings.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace receiptd::config {

using Millis = std::chrono::milliseconds;

enum class UpstreamKind { regular, archival };
enum class AuthForm { bearer, query };
enum class Source { rpc, neardata, indexer };
inline constexpr std::string_view kSourceNames[] = {"rpc", "neardata", "indexer"};  // in this order
constexpr std::string_view to_string(Source source) { return kSourceNames[static_cast<std::size_t>(source)]; }
enum class ScopeName { headers, accounts, all };

struct Upstream {
    std::string name;
    UpstreamKind kind = UpstreamKind::regular;
    std::string url;
    base::Secret api_key;  // empty: keyless
    AuthForm auth = AuthForm::bearer;
    base::Secret proxy{};   // "http://user:password@host:port"; empty: none
    std::string ca_file{};  // PEM of authorities that are trusted in place of the system's; empty: those
    double max_requests_per_second = 0;  // 0: no limit
    unsigned max_in_flight = 8;
    bool gzip = false;  // on loopback, too
};

struct Neardata {
    std::string url;
    base::Secret api_key;
    AuthForm auth = AuthForm::query;  // providers.md §1.2: redirects drop the header
    base::Secret proxy{};             // as Upstream has it, and ca_file
    std::string ca_file{};
    std::vector<std::string>
        redirect_hosts;  // names and addresses beside its own, whose redirects lead there
    double max_requests_per_second = 0;
    unsigned max_in_flight = 8;
    bool gzip = false;  // on loopback, too
};

struct Http {
    std::string listen = "127.0.0.1:9464";
    unsigned socket_mode = 0660;  // of the file, where `listen` is a Unix socket
    base::Secret token;           // of writes; empty: none is set
    base::Secret read_token;      // empty: anybody reads
    bool metrics_are_open = false;
    std::vector<std::string> allowed_hosts;  // names that requests may call it by
    std::string public_url;                  // where others reach it; empty: not told
};

struct Timeouts {
    Millis connect{5'000};
    Millis request{30'000};  // whole answer
    std::uint64_t max_response_bytes = 64ull << 20;
};

struct Database {
    base::Secret url;  // may hold a password
    Millis statement_timeout{60'000};
    std::string readonly_role = "receiptd_readonly";
    unsigned connections = 0;  // 0: follow.writers and kBesideWriters
    static constexpr unsigned kBesideWriters = 14;
    static constexpr unsigned kLeastBesideWriters = 11;

    // A daemon with so many writers has no more than these.
    unsigned most_connections(unsigned writers) const {
        return connections > 0 ? connections : writers + kBesideWriters;
    }
};

struct StartAtHead {};
using Start = std::variant<StartAtHead, std::uint64_t>;

struct Follow {
    Source source = Source::rpc;
    ScopeName scope = ScopeName::all;
    Start start = StartAtHead{};        // of an empty database
    std::vector<std::string> accounts;  // for scope "accounts"
    unsigned writers = 2;
    unsigned cpu_threads = 0;    // 0: as many as there are cores
    unsigned fetch_ahead = 8;    // heights in flight
    bool optimistic = true;      // watched transactions are reported before their block is final
    Millis patience{60'000};     // then a height that cannot be had becomes a recorded gap
    unsigned batch_blocks = 24;  // most heights in one database transaction
    std::uint64_t batch_bytes = 12ull << 20;
};

struct Retention {
    std::optional<std::chrono::hours> receipts;  // nullopt: for ever
    std::optional<std::chrono::hours> results;   // at least as long
};

struct Endpoint {
    std::string name;
    channel::Settings channel;
    base::Secret url;              // its path may be a token; empty: channel::default_url()
    base::Secret secret;           // "whsec_" and base64, of channel json
    base::Secret previous_secret;  // signs beside it while receivers change over; empty: there is none
    base::Secret headers;          // sent with each request: "Name: value", a line each
    bool allow_http = false;
    bool allow_private = false;
    std::vector<std::string> allow_networks;  // "10.0.0.0/8"; of addresses that are not public
    base::Secret proxy;                       // as Upstream has it, and ca_file
    std::string ca_file;
    Millis connect_timeout{5'000};
    Millis answer_timeout{15'000};
    std::vector<Millis> retry = {std::chrono::seconds(5), std::chrono::minutes(5), std::chrono::minutes(30),
                                 std::chrono::hours(2),   std::chrono::hours(5),   std::chrono::hours(10),
                                 std::chrono::hours(14),  std::chrono::hours(20),  std::chrono::hours(24)};
    bool ordered = false;  // the alerts of one transaction one after the other
    Millis digest_after{std::chrono::minutes(1)};
    Millis resolve_after{std::chrono::minutes(10)};
    unsigned most_groups_per_hour = 20;  // that the same rules open; 0: any number
    unsigned most_per_hour = 0;          // 0: any number
    double most_per_second = 0;          // 0: any number
    Millis late_after{std::chrono::minutes(10)};
    Millis expire_after{std::chrono::days(4)};
    std::vector<std::string> rules = {"default"};  // names: of `Settings::rules`, or rule::kDefaultName
};

// Which alerts an endpoint takes (rule/definition.hpp).
struct AlertRule {
    std::string name;
    std::vector<std::string> kinds;  // as its author wrote them
    std::string json;                // canonical; rule::parse() takes it
    std::vector<std::string> lists;  // that it names
};

// Accounts under a name, for rules.
struct AccountList {
    std::string name;
    std::string file;  // that holds them; empty: the API, or another daemon, says which
    std::vector<std::string> accounts;
};

// Tells that the daemon itself stands still.
struct Watchdog {
    std::string endpoint;  // that is told; empty: none
    Millis stalled_after{120'000};
    base::Secret ping_url;    // is asked for while all is well; empty: there is none
    base::Secret ping_proxy;  // that the environment names for it
    Millis ping_every{60'000};
};

// Trees that leave as OpenTelemetry traces.
struct Traces {
    std::string otlp_url;          // of a collector, without /v1/traces; empty: none leaves
    base::Secret headers;          // as Endpoint has them
    base::Secret proxy;            // that the environment names for it
    std::string ca_file;           // as Upstream has it
    bool watched = true;           // watched transactions
    bool failed = true;            // trees that failed
    double sample = 0;             // share of all trees, by hash
    double most_per_second = 200;  // trees; 0: any number
    unsigned most_services = 200;  // contracts with a service name of their own
    bool arguments = false;
};

// How long a watched transaction may stay in a stage before it is stuck (chain::StuckRules).
struct StuckAfter {
    std::chrono::seconds pending{60};
    std::chrono::seconds included{30};
    std::chrono::seconds executing{300};
    std::chrono::seconds completed{60};
};

// Transactions that match all globs given ('*' any text, '?' one character) are watched; none given matches
// any.
struct WatchRule {
    std::string name;
    std::string signer;
    std::string receiver;
    std::string method;  // of any function call of the transaction, inner ones of a Delegate included
};

// Nobody is told of failures that match all globs given.
struct ExpectedFailure {
    std::string name;
    std::string contract;
    std::string method;
    std::string error_class;
};

struct Settings {
    bool watches_files = false;  // the configuration's own: a change is as SIGHUP
    std::string network = "mainnet";
    bool is_public_network() const { return network == "mainnet" || network == "testnet"; }
    std::string genesis_hash;  // empty: learned
    std::vector<Upstream> upstreams;
    std::optional<Neardata> neardata;
    std::vector<Endpoint> endpoints;
    Watchdog watchdog;
    Traces traces;
    std::vector<AlertRule> rules;
    std::vector<AccountList> lists;
    StuckAfter stuck_after;
    std::chrono::seconds forwarding_failed_after{300};  // no host has received a submission for so long
    std::vector<WatchRule> watch_rules;
    std::vector<ExpectedFailure> expected;
    bool tells_delegate_duplicates = false;
    std::string explorer_url;  // with "{tx_hash}" in it; empty: alerts link to none
    std::uint64_t validity_blocks = chain::protocol::kValidityBlocks;  // of transactions
    Timeouts timeouts;
    Database database;
    Follow follow;
    Http http;
    Retention retention;
    log::Level log_level = log::Level::info;
    log::Format log_format = log::Format::plain;
};

}  // namespace receiptd::config
