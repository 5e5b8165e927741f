// `receiptd silences`: which alerts are not sent for a while, and why. Works on the database; daemons that
// run find the change there.
#include "api/query.hpp"
#include "api/silence_json.hpp"
#include "app/commands.hpp"
#include "app/print_json.hpp"
#include "app/store_for_command.hpp"
#include "app/wait_for.hpp"
#include "base/exact_json.hpp"
#include "base/line.hpp"
#include "base/units.hpp"
#include "storage/pg_silence_store.hpp"

#include <iostream>
#include <map>
#include <string>

namespace receiptd::app {
namespace {

using Silences = StoreForCommand<storage::PgSilenceStore>;

// Anybody may have written the texts.
void print_silence(const storage::SilenceRow& silence) {
    std::cout << silence.silence_id << ' ' << silence.state << ", " << silence.starts_at.substr(0, 19)
              << "Z to " << silence.ends_at.substr(0, 19) << "Z, by " << base::one_line(silence.author)
              << (silence.ended_by.empty() ? "" : ", ended by " + base::one_line(silence.ended_by)) << ": "
              << base::one_line(silence.reason) << "\n    " << base::one_line(silence.matcher_json) << '\n';
}

}  // namespace

int list_silences(const config::Settings& settings, bool all, bool as_json) {
    Silences asking(settings);
    const auto found = wait_for(asking.store().silences(all));
    if (as_json) {
        auto list = nlohmann::ordered_json::array();
        for (const auto& silence : found) list.push_back(api::silence_json(silence));
        print_json(list);
        return kOk;
    }
    for (const auto& silence : found) print_silence(silence);
    if (found.empty()) std::cout << (all ? "there was no silence yet\n" : "no silence\n");
    return kOk;
}

int add_silence(const config::Settings& settings, const SilenceAdd& command) {
    std::map<std::string, std::vector<std::string>> patterns;
    for (const auto& [name, pattern] : command.patterns) patterns[name].push_back(pattern);
    auto matcher = storm::parse_matcher(base::write_json(nlohmann::json(patterns)));
    const auto refused = [](const std::string& why) {
        std::cerr << why << '\n';
        return kUsage;
    };
    if (!matcher) return refused("the silence " + matcher.error());
    const auto lasts = base::parse_duration(command.lasts);
    if (!command.lasts.empty() && !lasts) return refused("--for must be a duration such as 2h or 30m");
    for (const auto* time : {&command.starts_at, &command.ends_at})
        if (!time->empty() && !api::is_time(*time))
            return refused("--from and --until must be times such as 2026-01-31T12:00:00Z");
    storage::NewSilence silence;
    silence.matcher = std::move(*matcher);
    silence.starts_at = command.starts_at;
    silence.ends_at = command.ends_at;
    if (lasts) silence.lasts = *lasts;
    silence.reason = command.reason;
    silence.author = command.author;
    Silences asking(settings);
    const auto added = wait_for(asking.store().add_silence(std::move(silence)));
    if (!added) return refused(added.error());
    print_silence(*added);
    return kOk;
}

int end_silence(const config::Settings& settings, std::int64_t silence_id, const std::string& by) {
    Silences asking(settings);
    const auto ended = wait_for(asking.store().end_silence(silence_id, by));
    if (!ended) {
        std::cerr << "there is no silence " << silence_id << '\n';
        return kFailed;
    }
    print_silence(*ended);
    return kOk;
}

}  // namespace receiptd::app
