#include "config/binding.hpp"
#include "config/key_tables.hpp"

namespace receiptd::config {

namespace {

using namespace binding;

constexpr double kSecond = 1'000;
constexpr double kDay = 24 * 3'600 * kSecond;

template <auto Place>
constexpr Binding secret() {
    return endpoint_secret<&EndpointSecrets::secret, Place>(endpoint<&Endpoint::secret>());
}
template <auto Place>
constexpr Binding previous_secret() {
    return endpoint_secret<&EndpointSecrets::previous_secret, Place>(endpoint<&Endpoint::previous_secret>());
}
template <auto Place>
constexpr Binding headers() {
    return endpoint_secret<&EndpointSecrets::headers, Place>(endpoint<&Endpoint::headers>());
}
template <auto Place>
constexpr Binding url() {
    return endpoint_secret<&EndpointSecrets::url, Place>(endpoint<&Endpoint::url>());
}
template <auto Place>
constexpr Binding routing_key() {
    return endpoint_secret<&EndpointSecrets::routing_key, Place>(
        endpoint_channel<&channel::Settings::routing_key>());
}
template <auto Place>
constexpr Binding token() {
    return endpoint_secret<&EndpointSecrets::token, Place>(endpoint_channel<&channel::Settings::token>());
}

template <auto Place>
constexpr Binding password() {
    return endpoint_secret<&EndpointSecrets::password, Place>(
        endpoint_channel<&channel::Settings::password>());
}

template <auto Place>
constexpr Binding proxy() {
    return endpoint_secret<&EndpointSecrets::proxy, Place>(endpoint<&Endpoint::proxy>());
}

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
     .name = "channel",
     .type = Type::choice,
     .at = endpoint_channel<&channel::Settings::kind>(),
     .help = "The service that the endpoint is, and so the form of its messages.",
     .reloadable = true,
     .choices = channel::kKindNames},
    {.section = "endpoint",
     .name = "url",
     .type = Type::secret,
     .at = endpoint<&Endpoint::url>(),
     .help =
         "Address to which alerts are sent. Only an answer of 2xx counts as success. Redirects are not "
         "followed. An answer of 410 switches the endpoint off until the next start or `receiptd endpoints "
         "enable`. Channels `pagerduty` and `telegram` have a default. The addresses of `slack` and "
         "`discord` are secrets: give them by `url_env` or `url_file`. Channel `email` needs the address of "
         "a mail server: `smtps://host`, or `smtp://host:587` with STARTTLS.",
     .reloadable = true,
     .example = "\"https://hooks.example.com/receiptd\""},
    {.section = "endpoint",
     .name = "url_env",
     .type = Type::env,
     .at = url<&SecretPlace::env>(),
     .help = "Environment variable that contains the address. Replaces `url`.",
     .reloadable = true},
    {.section = "endpoint",
     .name = "url_file",
     .type = Type::file,
     .at = url<&SecretPlace::file>(),
     .help = "File that contains the address. Replaces `url`.",
     .reloadable = true},
    {.section = "endpoint",
     .name = "secret_env",
     .type = Type::env,
     .at = secret<&SecretPlace::env>(),
     .help = "Environment variable that contains the secret for the signatures of channel `json`: `whsec_` "
             "and 24 to 64 bytes in base64.",
     .reloadable = true,
     .example = "\"RECEIPTD_WEBHOOK_SECRET\""},
    {.section = "endpoint",
     .name = "secret_file",
     .type = Type::file,
     .at = secret<&SecretPlace::file>(),
     .help = "File that contains the secret. Replaces `secret_env`.",
     .reloadable = true},
    {.section = "endpoint",
     .name = "previous_secret_env",
     .type = Type::env,
     .at = previous_secret<&SecretPlace::env>(),
     .help =
         "Environment variable that contains the secret that was used before. While it is set, each request "
         "has the signatures of both secrets, so receivers can change to the new one at any time.",
     .reloadable = true},
    {.section = "endpoint",
     .name = "previous_secret_file",
     .type = Type::file,
     .at = previous_secret<&SecretPlace::file>(),
     .help = "File that contains the secret that was used before. Replaces `previous_secret_env`.",
     .reloadable = true},
    {.section = "endpoint",
     .name = "headers_env",
     .type = Type::env,
     .at = headers<&SecretPlace::env>(),
     .help =
         "Environment variable that contains headers for each request, such as `Authorization: Bearer …`, a "
         "line each.",
     .reloadable = true},
    {.section = "endpoint",
     .name = "headers_file",
     .type = Type::file,
     .at = headers<&SecretPlace::file>(),
     .help = "File that contains these headers. Replaces `headers_env`.",
     .reloadable = true},
    {.section = "endpoint",
     .name = "routing_key_env",
     .type = Type::env,
     .at = routing_key<&SecretPlace::env>(),
     .help = "Environment variable that contains the routing key of a PagerDuty integration (Events API v2): "
             "32 letters and digits.",
     .reloadable = true},
    {.section = "endpoint",
     .name = "routing_key_file",
     .type = Type::file,
     .at = routing_key<&SecretPlace::file>(),
     .help = "File that contains the routing key. Replaces `routing_key_env`.",
     .reloadable = true},
    {.section = "endpoint",
     .name = "token_env",
     .type = Type::env,
     .at = token<&SecretPlace::env>(),
     .help = "Environment variable that contains the token of a Telegram bot, as BotFather tells it.",
     .reloadable = true},
    {.section = "endpoint",
     .name = "token_file",
     .type = Type::file,
     .at = token<&SecretPlace::file>(),
     .help = "File that contains the token. Replaces `token_env`.",
     .reloadable = true},
    {.section = "endpoint",
     .name = "chat_id",
     .type = Type::text,
     .at = endpoint_channel<&channel::Settings::chat_id>(),
     .help = "Id of the Telegram chat, for example `\"-1001234567890\"`, or `\"@name\"` of a public channel.",
     .reloadable = true,
     .example = "\"-1001234567890\""},
    {.section = "endpoint",
     .name = "from",
     .type = Type::mailbox,
     .at = endpoint_channel<&channel::Settings::from>(),
     .help = "Sender of e-mails.",
     .reloadable = true,
     .example = "\"receiptd@example.org\""},
    {.section = "endpoint",
     .name = "to",
     .type = Type::mailboxes,
     .at = endpoint_channel<&channel::Settings::to>(),
     .help = "Recipients of e-mails.",
     .reloadable = true,
     .example = "[\"team@example.org\"]"},
    {.section = "endpoint",
     .name = "user",
     .type = Type::text,
     .at = endpoint_channel<&channel::Settings::user>(),
     .help = "Name for the login at the mail server. Without it, e-mails are sent without a login.",
     .reloadable = true,
     .example = "\"receiptd\""},
    {.section = "endpoint",
     .name = "password_env",
     .type = Type::env,
     .at = password<&SecretPlace::env>(),
     .help = "Environment variable that contains the password for the login at the mail server.",
     .reloadable = true},
    {.section = "endpoint",
     .name = "password_file",
     .type = Type::file,
     .at = password<&SecretPlace::file>(),
     .help = "File that contains the password. Replaces `password_env`.",
     .reloadable = true},
    {.section = "endpoint",
     .name = "title",
     .type = Type::text,
     .at = endpoint_channel<&channel::Settings::title>(),
     .help = "First line of a message, as a [template](channels.md#templates). Default: `{{summary}}`.",
     .reloadable = true,
     .example = "\"{{network}}: {{summary}}\""},
    {.section = "endpoint",
     .name = "text",
     .type = Type::text,
     .at = endpoint_channel<&channel::Settings::text>(),
     .help = "Further lines of a message, as a [template](channels.md#templates). Default: what is known of "
             "the alert.",
     .reloadable = true,
     .example = "\"{{contract_id}} {{method_name}}: {{error_text}}\""},
    {.section = "endpoint",
     .name = "group",
     .type = Type::names,
     .at = endpoint_channel<&channel::Settings::group>(),
     .help =
         "Groups alerts that have all of these in common: `rule`, `receiver`, `method`, `error_class`. The "
         "first alert of a group is sent at once, the others are counted in digests "
         "([storms.md](storms.md)). By default channels that people read "
         "group by all four, and json by none: each alert is sent by itself. `[]` does so for any channel.",
     .reloadable = true,
     .example = "[\"rule\", \"receiver\", \"method\", \"error_class\"]"},
    {.section = "endpoint",
     .name = "digest_after",
     .type = Type::duration,
     .at = endpoint<&Endpoint::digest_after>(),
     .help = "Time from the first alert of a group to its first digest. The waits after that are 5, 15 and "
             "60 times as long.",
     .reloadable = true,
     .min = 1 * kSecond,
     .max = 1 * kDay},
    {.section = "endpoint",
     .name = "resolve_after",
     .type = Type::duration,
     .at = endpoint<&Endpoint::resolve_after>(),
     .help = "A group is over when so long no alert has joined it.",
     .reloadable = true,
     .min = 1 * kSecond,
     .max = 7 * kDay},
    {.section = "endpoint",
     .name = "most_groups_per_hour",
     .type = Type::integer,
     .at = endpoint<&Endpoint::most_groups_per_hour>(),
     .help = "Groups that the alerts of a rule (or of the same rules) open within an hour; 0 means any "
             "number. All alerts that would open another one are one group together.",
     .reloadable = true,
     .max = 1'000'000},
    {.section = "endpoint",
     .name = "most_per_hour",
     .type = Type::integer,
     .at = endpoint<&Endpoint::most_per_hour>(),
     .help = "Alerts that are sent in an hour of the clock; 0 means any number. Others of that hour are "
             "withheld, and a message says how many. Messages about transactions (`transaction.*`), groups "
             "and withheld alerts do not count. Default: 100 for Slack, Discord, Telegram and e-mail, 0 for "
             "the others.",
     .reloadable = true,
     .max = 1'000'000},
    {.section = "endpoint",
     .name = "most_per_second",
     .type = Type::decimal,
     .at = endpoint<&Endpoint::most_per_second>(),
     .help = "Requests that are sent in a second, over all daemons that serve the endpoint; 0 means any "
             "number. Others wait.",
     .reloadable = true,
     .max = 1'000},
    {.section = "endpoint",
     .name = "late_after",
     .type = Type::duration,
     .at = endpoint<&Endpoint::late_after>(),
     .help = "An alert whose cause is older at its first attempt is marked `late`. Rules with "
             "`when_late = \"withhold\"` do not send it.",
     .reloadable = true,
     .min = 1 * kSecond,
     .max = 7 * kDay},
    {.section = "endpoint",
     .name = "expire_after",
     .type = Type::duration,
     .at = endpoint<&Endpoint::expire_after>(),
     .help = "An alert that is not delivered after so long is dead (`expired`), whatever is left of `retry`. "
             "It is "
             "kept and can be resent.",
     .reloadable = true,
     .min = 1 * kSecond,
     .max = 365 * kDay},
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
     .help = "Allows all private, loopback and link-local addresses. They are refused otherwise, even if a "
             "public name resolves to them."},
    {.section = "endpoint",
     .name = "allow_networks",
     .type = Type::networks,
     .at = endpoint<&Endpoint::allow_networks>(),
     .help = "Allows the addresses of these networks, although they are not public.",
     .example = "[\"10.20.0.0/16\", \"fd12:3456::/32\"]"},
    {.section = "endpoint",
     .name = "allow_http",
     .type = Type::flag,
     .at = endpoint<&Endpoint::allow_http>(),
     .help = "Allows an address that begins with `http://`. Otherwise only loopback hosts may have one, as "
             "everybody on the way can read such requests."},
    {.section = "endpoint",
     .name = "ca_file",
     .type = Type::text,
     .at = endpoint<&Endpoint::ca_file>(),
     .help =
         "Certificates (PEM) of the authorities that may vouch for this endpoint, in place of the system's: "
         "for a server with a certificate of your own.",
     .example = "\"/etc/receiptd/our-ca.pem\""},
    {.section = "endpoint",
     .name = "proxy",
     .type = Type::secret,
     .at = endpoint<&Endpoint::proxy>(),
     .help =
         "HTTP proxy through which this endpoint is reached, as of `[[upstream]]`; not for e-mail. The proxy "
         "finds the address of the endpoint's name: it must refuse those that are not public.",
     .reloadable = true,
     .example = "\"http://proxy.example.com:3128\""},
    {.section = "endpoint",
     .name = "proxy_env",
     .type = Type::env,
     .at = proxy<&SecretPlace::env>(),
     .help = "Environment variable that contains the proxy's address, with its user and password.",
     .reloadable = true},
    {.section = "endpoint",
     .name = "proxy_file",
     .type = Type::file,
     .at = proxy<&SecretPlace::file>(),
     .help = "File that contains the proxy's address, with its user and password.",
     .reloadable = true},
    {.section = "endpoint",
     .name = "connect_timeout",
     .type = Type::duration,
     .at = endpoint<&Endpoint::connect_timeout>(),
     .help = "Time limit for finding the host, connecting and the TLS handshake.",
     .min = 0.1 * kSecond,
     .max = 60 * kSecond},
    {.section = "endpoint",
     .name = "answer_timeout",
     .type = Type::duration,
     .at = endpoint<&Endpoint::answer_timeout>(),
     .help = "Time limit from sending the request to the end of the answer.",
     .min = 0.1 * kSecond,
     .max = 120 * kSecond},
    {.section = "endpoint",
     .name = "retry",
     .type = Type::durations,
     .at = endpoint<&Endpoint::retry>(),
     .help = "Waits between the attempts of one delivery. If the attempt after the last wait fails, too, the "
             "delivery is dead. Each wait is made longer by up to a tenth, at random.",
     .reloadable = true,
     .min = 0.1 * kSecond,
     .max = 7 * kDay},
    {.section = "endpoint",
     .name = "ordered",
     .type = Type::flag,
     .at = endpoint<&Endpoint::ordered>(),
     .help =
         "Sends the alerts of one transaction strictly in the order in which they were made: an alert waits "
         "until those before it are delivered or dead.",
     .reloadable = true},
};

}  // namespace

std::span<const Key> endpoint_keys() { return kEndpointKeys; }

}  // namespace receiptd::config
