#include "config/binding.hpp"
#include "config/key_tables.hpp"

namespace receiptd::config {

namespace {

using namespace binding;

constexpr Key kTraceKeys[] = {
    {.section = "traces",
     .name = "otlp_url",
     .type = Type::url,
     .at = setting<&Settings::traces, &Traces::otlp_url>(),
     .help = "Address of a collector that takes OTLP over HTTP, without the path `/v1/traces`. Each "
             "completed tree "
             "is sent there once, as JSON. Without it, nothing is sent. If several daemons share a database, "
             "each of them should have the same section.",
     .reloadable = true,
     .example = "\"http://tempo:4318\""},
    {.section = "traces",
     .name = "headers_env",
     .type = Type::env,
     .at = secret_place<&Draft::trace_headers, &SecretPlace::env, &Settings::traces, &Traces::headers>(),
     .help =
         "Environment variable that contains headers for each request, such as `Authorization: Bearer …`, a "
         "line each.",
     .reloadable = true},
    {.section = "traces",
     .name = "headers_file",
     .type = Type::file,
     .at = secret_place<&Draft::trace_headers, &SecretPlace::file, &Settings::traces, &Traces::headers>(),
     .help = "File that contains these headers. Replaces `headers_env`.",
     .reloadable = true},
    {.section = "traces",
     .name = "ca_file",
     .type = Type::text,
     .at = setting<&Settings::traces, &Traces::ca_file>(),
     .help =
         "Certificates (PEM) of the authorities that may vouch for the collector, in place of the system's.",
     .reloadable = true},
    {.section = "traces",
     .name = "watched",
     .type = Type::flag,
     .at = setting<&Settings::traces, &Traces::watched>(),
     .help = "Whether watched transactions are sent when they end, with the stages that they went through.",
     .reloadable = true},
    {.section = "traces",
     .name = "failed",
     .type = Type::flag,
     .at = setting<&Settings::traces, &Traces::failed>(),
     .help = "Whether every tree is sent in which something failed, handled or not.",
     .reloadable = true},
    {.section = "traces",
     .name = "sample",
     .type = Type::decimal,
     .at = setting<&Settings::traces, &Traces::sample>(),
     .help = "Share of all other trees that are sent: 0.01 is one in a hundred. The hash of the transaction "
             "decides.",
     .reloadable = true,
     .max = 1},
    {.section = "traces",
     .name = "most_per_second",
     .type = Type::decimal,
     .at = setting<&Settings::traces, &Traces::most_per_second>(),
     .help = "Trees that are sent in a second. Others wait, for 30 minutes at most; then they are counted "
             "and not "
             "sent. 0: no limit.",
     .reloadable = true,
     .max = 100'000},
    {.section = "traces",
     .name = "most_services",
     .type = Type::integer,
     .at = setting<&Settings::traces, &Traces::most_services>(),
     .help =
         "Contracts whose spans have their account for a `service.name`; those of all later ones have `other "
         "contracts`. It counts from the start of the daemon.",
     .max = 10'000},
    {.section = "traces",
     .name = "arguments",
     .type = Type::flag,
     .at = setting<&Settings::traces, &Traces::arguments>(),
     .help = "Whether spans have the arguments of the call, as far as they are JSON, cut to 512 bytes.",
     .reloadable = true},
};

}  // namespace

std::span<const Key> trace_keys() { return kTraceKeys; }

}  // namespace receiptd::config
