#include "config/binding.hpp"
#include "config/key_tables.hpp"

namespace receiptd::config {

namespace {

using namespace binding;

constexpr Key kEndpointKeys[] = {
    {.section = "endpoint",
     .name = "name",
     .type = Type::name,
     .at = endpoint<&Endpoint::name>(),
     .help = "What logs, metrics and `receiptd alerts` call it. Unique, and kept: what is still to be "
             "delivered is stored under it.",
     .required = true,
     .example = "\"on-call\""},
    {.section = "endpoint",
     .name = "url",
     .type = Type::url,
     .at = endpoint<&Endpoint::url>(),
     .help = "Where alerts are sent. Only an answer of 2xx counts; redirects are not followed; 410 switches "
             "the endpoint off until the next start or `receiptd alerts resend`.",
     .required = true,
     .example = "\"https://hooks.example.com/receiptd\""},
    {.section = "endpoint",
     .name = "secret_env",
     .type = Type::env,
     .at = endpoint_secret<&SecretPlace::env>(),
     .help = "Environment variable that holds the secret of the signatures: `whsec_` and 24 to 64 bytes in "
             "base64.",
     .reloadable = true,
     .example = "\"RECEIPTD_WEBHOOK_SECRET\""},
    {.section = "endpoint",
     .name = "secret_file",
     .type = Type::file,
     .at = endpoint_secret<&SecretPlace::file>(),
     .help = "File that holds the secret, instead of `secret_env`.",
     .reloadable = true},
    {.section = "endpoint",
     .name = "allow_private",
     .type = Type::flag,
     .at = endpoint<&Endpoint::allow_private>(),
     .help = "Allows private, loopback and link-local addresses, which are refused otherwise, whatever name "
             "leads to them."},
};

}  // namespace

std::span<const Key> endpoint_keys() { return kEndpointKeys; }

}  // namespace receiptd::config
