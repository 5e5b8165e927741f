#include "api/status.hpp"
#include "app/ask_daemon.hpp"
#include "app/check_hosts.hpp"
#include "app/commands.hpp"
#include "app/followed_accounts.hpp"
#include "app/print_json.hpp"
#include "app/runtime.hpp"
#include "app/store_for_command.hpp"
#include "app/wait_for.hpp"
#include "base/joined.hpp"
#include "storage/database_id.hpp"
#include "storage/inspect.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <iostream>

namespace receiptd::app {
namespace {

using nlohmann::json;

json ranges_json(const base::HeightSet& heights) {
    json ranges = json::array();
    for (const auto& range : heights.ranges()) ranges.push_back({{"from", range.from}, {"to", range.to}});
    return ranges;
}

json to_json(const storage::StoredSummary& stored) {
    json gaps = json::array();
    for (const auto& gap : stored.gaps)
        gaps.push_back({{"from", gap.from_height},
                        {"to", gap.to_height},
                        {"reason", gap.reason},
                        {"detail", gap.detail}});
    json backfills = json::array();
    for (const auto& backfill : stored.unfinished_backfills)
        backfills.push_back({{"from", backfill.from_height},
                             {"to", backfill.to_height},
                             {"missing", backfill.missing},
                             {"accounts", backfill.accounts},
                             {"replaces", backfill.replaces},
                             {"running", backfill.leased}});
    json accounts = json::array();
    for (const auto& account : stored.accounts)
        accounts.push_back({{"account_id", account.account_id},
                            {"since_height", account.since_height},
                            {"not_whole_heights", account.not_whole.size()},
                            {"not_whole", ranges_json(account.not_whole)}});
    json daemons = json::array();
    for (const auto& daemon : stored.daemons)
        daemons.push_back({{"place", daemon.settings.place}, {"source", daemon.settings.source}});
    return {{"network", stored.network},
            {"scope", stored.scope},
            {"accounts", accounts},
            {"daemons", daemons},
            {"first_height", stored.first_height ? json(*stored.first_height) : json()},
            {"last_height", stored.last_height ? json(*stored.last_height) : json()},
            {"last_block_time", stored.last_block_time},
            {"covered_heights", stored.covered_heights},
            {"gap_heights", stored.gap_heights},
            {"gaps", gaps},
            {"skipped_by_operator", ranges_json(stored.skipped_by_operator)},
            {"unfinished_backfills", backfills},
            {"pending_trees", stored.pending_trees},
            {"judged_by_earlier_rules", ranges_json(stored.judged_before)},
            {"partitions", stored.partitions},
            {"database_bytes", stored.database_bytes}};
}

void print_stored(const storage::StoredSummary& stored) {
    std::cout << "database    "
              << (stored.network.empty() ? "empty" : stored.network + ", scope " + stored.scope) << ", "
              << stored.database_bytes / 1'000'000 << " MB, " << stored.partitions << " partitions\n";
    if (stored.first_height)
        std::cout << "heights     " << *stored.first_height << " to " << *stored.last_height << ", "
                  << stored.covered_heights << " covered, newest block " << stored.last_block_time << '\n';
    for (const auto& account : stored.accounts) std::cout << "account     " << in_words(account) << '\n';
    for (const auto& daemon : stored.daemons)
        std::cout << "running     " << daemon.settings.place << ", source " << daemon.settings.source << '\n';
    std::cout << "gaps        " << stored.gap_heights << " heights\n";
    for (const auto& gap : stored.gaps)
        std::cout << "            " << gap.from_height
                  << (gap.to_height > gap.from_height ? " to " + std::to_string(gap.to_height)
                                                      : std::string())
                  << "  " << gap.reason << (gap.detail.empty() ? "" : ": " + gap.detail) << '\n';
    for (const auto& range : stored.skipped_by_operator.ranges())
        std::cout << "skipped     " << range.from << " to " << range.to << ", by an operator\n";
    for (const auto& backfill : stored.unfinished_backfills)
        std::cout << (backfill.replaces ? "reindex     " : "backfill    ") << backfill.from_height << " to "
                  << backfill.to_height << ", " << backfill.missing
                  << (backfill.replaces ? " heights to be replaced" : " heights missing")
                  << (backfill.accounts.empty() ? "" : " of " + base::joined(backfill.accounts)) << ", "
                  << (backfill.leased ? "running" : "waiting for a daemon") << '\n';
    if (const auto& earlier = stored.judged_before; !earlier.empty())
        std::cout << "verdicts    " << earlier.size() << " heights judged by earlier rules ("
                  << *earlier.first() << " to " << *earlier.last() << "): run `receiptd rejudge`\n";
    if (stored.pending_trees > 0)
        std::cout << "trees       " << stored.pending_trees << " still being fetched\n";
}

std::string height_text(const json& height) { return height.is_null() ? "-" : height.dump(); }

// "1234 requests in 2.0 h: head 1000, watch 234; 14808 a day at the pace of the last hour, at most 20.0 a
// second"
std::string spending_text(const json& upstream) {
    std::uint64_t all = 0;
    std::string by_purpose;
    const json requests = upstream.value("requests", json::object());
    for (const auto& [purpose, count] : requests.items()) {
        all += count.get<std::uint64_t>();
        by_purpose += (by_purpose.empty() ? ": " : ", ") + purpose + " " + count.dump();
    }
    char hours[16];
    std::snprintf(hours, sizeof hours, "%.1f", upstream.value("requests_seconds", 0.0) / 3'600);
    auto text = "            " + std::to_string(all) + " requests in " + hours + " h" + by_purpose + "; " +
                std::to_string(upstream.value("requests_a_day", std::uint64_t{0})) +
                " a day at the pace of the last hour";
    if (const auto limit = upstream.find("budget_limit"); limit != upstream.end() && limit->is_number())
        text += ", at most " + limit->dump() + " a second";
    return text;
}

void print_daemon(const std::optional<json>& daemon, const std::string& listen) {
    if (!daemon) {
        std::cout << "daemon      none answers at " << listen << '\n';
        return;
    }
    const auto& status = *daemon;
    std::cout << "daemon      " << status.value("version", "?") << ", source " << status.value("source", "?")
              << ", "
              << (status.value("ready", false) ? "ready" : "not ready: " + status["not_ready_because"].dump())
              << '\n';
    if (status["head"].is_object())
        std::cout << "head        " << height_text(status["head"]["height"]) << " at "
                  << status["head"].value("time", "?") << '\n';
    for (const auto& upstream : status["upstreams"]) {
        char health[16];
        std::snprintf(health, sizeof health, "%.2f", upstream.value("health", 0.0));
        std::cout << "upstream    " << upstream.value("name", "?") << " (" << upstream.value("kind", "?")
                  << ", " << upstream.value("origin", "?") << ")  health " << health << "  horizon "
                  << height_text(upstream["horizon_height"]) << "  head "
                  << height_text(upstream["head_height"])
                  << (upstream.value("refused", false) ? "  REFUSES OUR REQUESTS" : "")
                  << (upstream.value("network", "") == "other_network" ? "  OF ANOTHER NETWORK" : "");
        if (const auto& missing = upstream["missing_methods"]; missing.is_array() && !missing.empty())
            std::cout << "  lacks " << missing.dump();
        if (const auto error = upstream.value("last_error", ""); !error.empty())
            std::cout << "  last: " << error;
        std::cout << '\n' << spending_text(upstream) << '\n';
    }
}

}  // namespace

int skip(const config::Settings& settings, std::optional<base::Height> last) {
    if (!last) last = lowest_head(settings);
    if (!last) {
        std::cerr << "no host tells its head, so nothing was skipped; --to takes a height, too\n";
        return kFailed;
    }
    return skip(settings, base::HeightRange{0, *last});
}

int skip(const config::Settings& settings, base::HeightRange range) {
    StoreForCommand<storage::PgBlockStore> database(settings);
    const auto skipped = wait_for(database.store().skip(range));
    if (skipped.empty()) {
        std::cerr << "nothing is missing from height " << range.from << " to " << range.to
                  << ", or no block is stored yet\n";
        return kFailed;
    }
    std::cout
        << "skipped: " << skipped.to_multirange()
        << "\na running daemon stops fetching them within a minute; `receiptd backfill` takes it back\n";
    return kOk;
}

int database_id(const config::Settings& settings, DatabaseIdWish wish) {
    StoreForCommand<storage::PgDatabaseIds> database(settings);
    const bool keeps = wish == DatabaseIdWish::keep;
    const auto id = wait_for(keeps ? database.store().keep() : database.store().renew());
    if (id.is == storage::DatabaseId::Is::born)
        std::cout << "the database had no id yet; it has " << id.id << '\n';
    else if (keeps)
        std::cout << "the database keeps its id, " << id.id << '\n';
    else
        std::cout << "the database has the id " << id.id << " in place of " << id.before
                  << "; groups that are open keep their names\n";
    return kOk;
}

int repair(const config::Settings& settings, base::Height height) {
    StoreForCommand<storage::PgBlockStore> database(settings);
    const auto missing = wait_for(database.store().remove_block(height));
    if (missing.empty()) {
        std::cerr << "no block is stored at height " << height << '\n';
        return kFailed;
    }
    std::cout << "removed the block at height " << height
              << "; to be fetched again: " << missing.to_multirange()
              << "\na running daemon begins within a minute\n";
    return kOk;
}

int status(const config::Settings& settings, bool as_json) {
    const auto stored = storage::stored_summary(database_options(settings));
    const auto daemon = ask_daemon(settings.http);
    if (as_json) {
        print_json({{"database", to_json(stored)}, {"daemon", daemon ? *daemon : json()}});
    } else {
        print_stored(stored);
        print_daemon(daemon, settings.http.listen);
    }
    return daemon && daemon->value("ready", false) ? kOk : kNotReady;
}

}  // namespace receiptd::app
