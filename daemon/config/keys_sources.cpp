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
     .help = "The chain id: `mainnet`, `testnet` or the name of a network of your own. A database that "
             "holds another network is refused.",
     .example = "\"mainnet\""},
    {.section = "chain",
     .name = "genesis_hash",
     .type = Type::hash,
     .at = setting<&Settings::genesis_hash>(),
     .help =
         "Hash of the genesis block. Left out: the one that the hosts tell at the first start; it is kept in "
         "the database. A host that tells another one is put aside.",
     .example = "\"EPnLgE7iEq9s7yTkos96M3cWymH5avBAPm3qx3NXqR8H\""},

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
     .help = "Budget of this host, shared by submissions, head, watches and trees, gaps and backfill in that "
             "order; one request in four is for whatever has waited longest. 0: no limit.",
     .reloadable = true,
     .max = 100'000},
    {.section = "upstream",
     .name = "max_in_flight",
     .type = Type::integer,
     .at = upstream<&Upstream::max_in_flight>(),
     .help = "Most requests open at once, each on a connection of its own.",
     .min = 1,
     .max = 256},
    {.section = "upstream",
     .name = "gzip",
     .type = Type::flag,
     .at = upstream<&Upstream::gzip>(),
     .help = "Asks for compressed answers on a loopback address, too, where they cost more than they save; "
             "other addresses are always asked for them."},

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
     .at = neardata_key<&SecretPlace::env>(),
     .help = "Environment variable that holds the API key.",
     .reloadable = true},
    {.section = "neardata",
     .name = "api_key_file",
     .type = Type::file,
     .at = neardata_key<&SecretPlace::file>(),
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
    {.section = "neardata",
     .name = "gzip",
     .type = Type::flag,
     .at = neardata<&Neardata::gzip>(),
     .help = "Asks for compressed answers on a loopback address, too."},

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
};

}  // namespace

std::span<const Key> source_keys() { return kSourceKeys; }

}  // namespace receiptd::config
