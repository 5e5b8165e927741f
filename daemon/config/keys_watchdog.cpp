#include "config/binding.hpp"
#include "config/key_tables.hpp"

namespace receiptd::config {

namespace {

using namespace binding;

constexpr double kMinute = 60'000;

constexpr Key kWatchdogKeys[] = {
    {.section = "watchdog",
     .name = "endpoint",
     .type = Type::name,
     .at = setting<&Settings::watchdog, &Watchdog::endpoint>(),
     .help =
         "Name of the `[[endpoint]]` that is told when this daemon stands still (`daemon.stalled`) and when "
         "it works again (`daemon.recovered`), whatever its rules are. Without it, only the log and the "
         "metric `receiptd_stalled` tell it.",
     .example = "\"on-call\""},
    {.section = "watchdog",
     .name = "stalled_after",
     .type = Type::duration,
     .at = setting<&Settings::watchdog, &Watchdog::stalled_after>(),
     .help =
         "A part of the daemon stands still if it has work and has done none of it for this long: the "
         "database has not answered, the follower has stored no newer block, the tracker or the dispatcher "
         "has not looked at its queue.",
     .min = kMinute / 6,
     .max = 60 * kMinute},
    {.section = "watchdog",
     .name = "ping_url_env",
     .type = Type::env,
     .at = secret_place<&Draft::ping_url, &SecretPlace::env, &Settings::watchdog, &Watchdog::ping_url>(),
     .help =
         "Environment variable that contains an address to which a GET is sent as long as all is well, for "
         "a service that raises an alarm when the requests cease. Of several daemons on a database only the "
         "leader sends them.",
     .reloadable = true},
    {.section = "watchdog",
     .name = "ping_url_file",
     .type = Type::file,
     .at = secret_place<&Draft::ping_url, &SecretPlace::file, &Settings::watchdog, &Watchdog::ping_url>(),
     .help = "File that contains this address. Replaces `ping_url_env`.",
     .reloadable = true},
    {.section = "watchdog",
     .name = "ping_every",
     .type = Type::duration,
     .at = setting<&Settings::watchdog, &Watchdog::ping_every>(),
     .help = "Time between two of these requests. One that fails is repeated after at most five seconds.",
     .min = kMinute / 60,
     .max = 60 * kMinute},
};

}  // namespace

std::span<const Key> watchdog_keys() { return kWatchdogKeys; }

}  // namespace receiptd::config
