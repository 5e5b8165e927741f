#include "app/reload.hpp"

#include "app/commands.hpp"
#include "base/log.hpp"

namespace receiptd::app {

bool take_reloaded(Runtime& runtime, WatchedParts& parts, const config::Loaded& loaded) {
    runtime.daemon_series.reload_succeeded.Set(loaded.ok() ? 1 : 0);
    for (const auto& problem : loaded.problems) log_problem(problem);
    if (!loaded.ok()) return false;
    const auto changes = config::reload(runtime.settings, loaded.settings);
    if (changes.empty()) log::info("reloaded: nothing changed");
    for (const auto& change : changes) {
        if (change.applied)
            log::info("reloaded", {{"key", change.key}, {"from", change.from}, {"to", change.to}});
        else
            log::warn("needs a restart", {{"key", change.key}, {"from", change.from}, {"to", change.to}});
    }
    const auto& settings = runtime.settings;
    log::configure(settings.log_level, settings.log_format);
    runtime.sources->reload(settings);
    runtime.database.set_keep(keep_of(settings.retention));
    runtime.sender.reload(settings.endpoints);
    runtime.exporter.reload(settings.traces);
    parts.reload();
    return true;
}

}  // namespace receiptd::app
