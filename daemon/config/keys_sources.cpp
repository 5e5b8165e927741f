#include "config/binding.hpp"
#include "config/key_tables.hpp"

namespace receiptd::config {

namespace {

using namespace binding;

// In the order of the enums in settings.hpp.
constexpr std::string_view kUpstreamKinds[] = {"regular", "archival"};
constexpr std::string_view kAuthForms[] = {"bearer", "query"};

constexpr Key kSourceKeys[] = {
    {.section = "chain",
     .name = "network",
     .type = Type::name,
     .at = setting<&Settings::network>(),
     .help = "The chain id: `mainnet`, `testnet`, or the name of your own network. receiptd refuses a "
             "database that contains another network.",
     .example = "\"mainnet\""},
    {.section = "chain",
     .name = "genesis_hash",
     .type = Type::hash,
     .at = setting<&Settings::genesis_hash>(),
     .help = "Hash of the genesis block. If it is left out, receiptd takes the one that the hosts return at "
             "the first start and stores it in the database. A host with another genesis hash is not used.",
     .example = "\"EPnLgE7iEq9s7yTkos96M3cWymH5avBAPm3qx3NXqR8H\""},

    {.section = "upstream",
     .name = "name",
     .type = Type::name,
     .at = upstream<&Upstream::name>(),
     .help = "Name of this host in logs, metrics and `receiptd status`. Must be unique.",
     .required = true,
     .example = "\"regular\""},
    {.section = "upstream",
     .name = "kind",
     .type = Type::choice,
     .at = upstream<&Upstream::kind>(),
     .help = "`regular`: the host stores the last few epochs. `archival`: it stores all blocks. Requests for "
             "old heights go to archival hosts automatically.",
     .example = "\"regular\"",
     .choices = kUpstreamKinds},
    {.section = "upstream",
     .name = "url",
     .type = Type::url,
     .at = upstream<&Upstream::url>(),
     .help = "Address of the JSON-RPC service.",
     .required = true,
     .example = "\"https://rpc.example.com\""},
    {.section = "upstream",
     .name = "api_key_env",
     .type = Type::env,
     .at = upstream_key<&SecretPlace::env>(),
     .help = "Environment variable that contains the API key. Without a key, requests are anonymous.",
     .reloadable = true,
     .example = "\"RECEIPTD_API_KEY\""},
    {.section = "upstream",
     .name = "api_key_file",
     .type = Type::file,
     .at = upstream_key<&SecretPlace::file>(),
     .help = "File that contains the API key. Replaces `api_key_env`. A relative path starts at the folder "
             "of the configuration file.",
     .reloadable = true},
    {.section = "upstream",
     .name = "auth",
     .type = Type::choice,
     .at = upstream<&Upstream::auth>(),
     .help = "How the key is sent. `bearer`: in the header `Authorization: Bearer`. `query`: in the URL as "
             "`?apiKey=`, which can appear in the logs of proxies.",
     .choices = kAuthForms},
    {.section = "upstream",
     .name = "max_requests_per_second",
     .type = Type::decimal,
     .at = upstream<&Upstream::max_requests_per_second>(),
     .help = "Request budget of this host. Priority: submissions, head, watches and trees, gaps, backfill. "
             "One request in four goes to the work that has waited longest. 0: no limit.",
     .reloadable = true,
     .max = 100'000},
    {.section = "upstream",
     .name = "max_in_flight",
     .type = Type::integer,
     .at = upstream<&Upstream::max_in_flight>(),
     .help = "Maximum number of concurrent requests (one connection each).",
     .min = 1,
     .max = 256},
    {.section = "upstream",
     .name = "gzip",
     .type = Type::flag,
     .at = upstream<&Upstream::gzip>(),
     .help = "Requests compressed answers also from a loopback address, where compression usually costs more "
             "than it saves. From other addresses they are always requested."},

    {.section = "neardata",
     .name = "url",
     .type = Type::url,
     .at = neardata<&Neardata::url>(),
     .help = "Address of the whole-block service. Blocks are at `/v0/block/HEIGHT` below it.",
     .required = true,
     .example = "\"https://blocks.example.com\""},
    {.section = "neardata",
     .name = "api_key_env",
     .type = Type::env,
     .at = neardata_key<&SecretPlace::env>(),
     .help = "Environment variable that contains the API key.",
     .reloadable = true},
    {.section = "neardata",
     .name = "api_key_file",
     .type = Type::file,
     .at = neardata_key<&SecretPlace::file>(),
     .help = "File that contains the API key. Replaces `api_key_env`.",
     .reloadable = true},
    {.section = "neardata",
     .name = "auth",
     .type = Type::choice,
     .at = neardata<&Neardata::auth>(),
     .help = "How the key is sent, as of `[[upstream]]`.",
     .choices = kAuthForms},
    {.section = "neardata",
     .name = "redirect_hosts",
     .type = Type::hosts,
     .at = neardata<&Neardata::redirect_hosts>(),
     .help =
         "Hosts to which the service may redirect; they get the API key, too. The host of `url` and, if "
         "their addresses are public, its subdomains are always followed. All other redirects are refused, "
         "and so are redirects from https to http.",
     .example = "[\"archive.example.com\"]"},
    {.section = "neardata",
     .name = "max_requests_per_second",
     .type = Type::decimal,
     .at = neardata<&Neardata::max_requests_per_second>(),
     .help = "Request budget of this service. 0: no limit. Public services allow about 3 without a key.",
     .reloadable = true,
     .max = 100'000},
    {.section = "neardata",
     .name = "max_in_flight",
     .type = Type::integer,
     .at = neardata<&Neardata::max_in_flight>(),
     .help = "Maximum number of concurrent requests.",
     .min = 1,
     .max = 256},
    {.section = "neardata",
     .name = "gzip",
     .type = Type::flag,
     .at = neardata<&Neardata::gzip>(),
     .help = "Requests compressed answers also from a loopback address."},

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
     .help = "Time from sending a request to the last byte of its answer. A host gets only 3 s for its first "
             "try at the newest final block, so that another host can be asked.",
     .min = 100,
     .max = 600'000},
    {.section = "timeouts",
     .name = "max_response",
     .type = Type::bytes,
     .at = setting<&Settings::timeouts, &Timeouts::max_response_bytes>(),
     .help = "Maximum size of an answer after decompression. A longer answer is dropped and counts as a "
             "fault of the host.",
     .min = 1 << 16,
     .max = 1ull << 32},
};

}  // namespace

std::span<const Key> source_keys() { return kSourceKeys; }

}  // namespace receiptd::config
