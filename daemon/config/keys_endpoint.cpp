#include "config/binding.hpp"
#include "config/key_tables.hpp"

namespace receiptd::config {

namespace {

using namespace binding;

constexpr Key kEndpointKeys[] = {
    {.section = "alerts",
     .name = "delegate_duplicates",
     .type = Type::flag,
     .at = setting<&Settings::tells_delegate_duplicates>(),
     .help = "Sends alerts also about relayers' repetitions of actions that were already executed. Most "
             "refused Delegate actions are such repetitions. If several daemons share a database, one "
             "running daemon that sets it is enough."},

    {.section = "alerts",
     .name = "explorer_url",
     .type = Type::url,
     .at = setting<&Settings::explorer_url>(),
     .help = "Address of a transaction in an explorer, with `{tx_hash}` in it. Alerts link to it.",
     .example = "\"https://explorer.example.org/txns/{tx_hash}\""},

    {.section = "endpoint",
     .name = "name",
     .type = Type::name,
     .at = endpoint<&Endpoint::name>(),
     .help = "Name of the endpoint in logs, metrics and `receiptd alerts`. Must be unique. Do not change it: "
             "pending deliveries are stored under it.",
     .required = true,
     .example = "\"on-call\""},
    {.section = "endpoint",
     .name = "url",
     .type = Type::url,
     .at = endpoint<&Endpoint::url>(),
     .help = "Address to which alerts are sent. Only an answer of 2xx counts as success. Redirects are not "
             "followed. An answer of 410 switches the endpoint off until the next start or `receiptd alerts "
             "resend`.",
     .required = true,
     .example = "\"https://hooks.example.com/receiptd\""},
    {.section = "endpoint",
     .name = "secret_env",
     .type = Type::env,
     .at = endpoint_secret<&SecretPlace::env>(),
     .help = "Environment variable that contains the secret for the signatures: `whsec_` and 24 to 64 bytes "
             "in base64.",
     .reloadable = true,
     .example = "\"RECEIPTD_WEBHOOK_SECRET\""},
    {.section = "endpoint",
     .name = "secret_file",
     .type = Type::file,
     .at = endpoint_secret<&SecretPlace::file>(),
     .help = "File that contains the secret. Replaces `secret_env`.",
     .reloadable = true},
    {.section = "endpoint",
     .name = "rules",
     .type = Type::names,
     .at = endpoint<&Endpoint::rules>(),
     .help = "Names of the rules whose alerts are sent here. `default` is the built-in rule: findings that "
             "are neither "
             "handled nor expected.",
     .reloadable = true},
    {.section = "endpoint",
     .name = "allow_private",
     .type = Type::flag,
     .at = endpoint<&Endpoint::allow_private>(),
     .help = "Allows private, loopback and link-local addresses. They are refused otherwise, even if a "
             "public name resolves to them."},
};

}  // namespace

std::span<const Key> endpoint_keys() { return kEndpointKeys; }

}  // namespace receiptd::config
