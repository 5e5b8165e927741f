#include "app/commands.hpp"
#include "app/print_json.hpp"
#include "app/runtime.hpp"
#include "base/log.hpp"
#include "base/units.hpp"
#include "storage/errors.hpp"
#include "storage/migrate.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::app {
namespace {

using nlohmann::json;
using storage::MigrationPlan;
using storage::TableSize;

json to_json(const storage::MigrationStatus& status) {
    json applied = json::array();
    for (const auto& migration : status.applied)
        applied.push_back({{"name", migration.name}, {"applied_at", migration.applied_at}});
    return {{"current", status.current()},
            {"applied", applied},
            {"pending", status.pending},
            {"views_current", status.schema_current},
            {"problem", status.problem.empty() ? json() : json(status.problem)}};
}

void print(const storage::MigrationStatus& status) {
    for (const auto& migration : status.applied)
        std::cout << "applied  " << migration.name << "  " << migration.applied_at << '\n';
    for (const auto& name : status.pending) std::cout << "pending  " << name << '\n';
    std::cout << "views    " << (status.schema_current ? "current" : "to be applied") << '\n';
    if (!status.problem.empty()) std::cout << "problem  " << status.problem << '\n';
}

json to_json(const TableSize& size) {
    return {{"table", size.table},
            {"partitions", size.partitions},
            {"rows_estimated", size.rows},
            {"bytes", size.bytes}};
}

json to_json(const std::vector<storage::PlannedStep>& steps) {
    json all = json::array();
    for (const auto& step : steps) {
        json locks = json::array(), afterwards = json::array();
        for (const auto& [size, mode] : step.locks) {
            locks.push_back(to_json(size));
            locks.back()["mode"] = mode;
        }
        for (const auto& size : step.afterwards) {
            afterwards.push_back(to_json(size));
            afterwards.back()["seconds_estimated"] = storage::time_to_read(size.bytes).count();
        }
        all.push_back({{"name", step.name}, {"locks", locks}, {"afterwards", afterwards}});
    }
    return all;
}

json to_json(const std::vector<storage::Unfinished>& unfinished) {
    json all = json::array();
    for (const auto& [table, name, tables, bytes] : unfinished)
        all.push_back({{"table", table},
                       {"name", name},
                       {"tables_left", tables},
                       {"bytes_left", bytes},
                       {"seconds_estimated", storage::time_to_read(bytes).count()}});
    return all;
}

json to_json(const MigrationPlan& plan) {
    json foreign = json::array();
    for (const auto& object : plan.foreign)
        foreign.push_back({{"name", object.name}, {"in_words", object.in_words}, {"definition", object.ddl}});
    auto all = to_json(plan.status);
    all["migrations"] = to_json(plan.migrations);
    all["schema"] = to_json(plan.schema);
    all["one_transaction"] = !plan.foreign.empty();
    all["daemons"] = plan.daemons;
    all["foreign_objects"] = foreign;
    all["transactions"] = plan.transactions.empty() ? json() : json(plan.transactions);
    all["unfinished"] = to_json(plan.unfinished);
    return all;
}

std::string time_text(std::uint64_t bytes) {
    return "about " + base::format_duration(std::max(storage::time_to_read(bytes), std::chrono::seconds(1)));
}

// "receipts (1826 partitions, about 5000 rows, 40 MB)"
std::string text_of(const TableSize& size) {
    return size.table + " (" +
           (size.partitions > 0 ? std::to_string(size.partitions) + " partitions, " : std::string()) +
           "about " + std::to_string(size.rows) + " rows, " + std::to_string(size.bytes / 1'000'000) + " MB)";
}

void print(const storage::PlannedStep& step) {
    for (const auto& [size, mode] : step.locks)
        std::cout << "    locks       " << text_of(size) << " in " << mode
                  << " for moments; it waits for others two seconds at a time\n";
    for (const auto& size : step.afterwards)
        std::cout << "    afterwards  " << text_of(size) << " is read by one partition at a time, "
                  << time_text(size.bytes) << "; nobody waits for that\n";
}

void print(const std::vector<storage::Unfinished>& unfinished) {
    for (const auto& [table, name, tables, bytes] : unfinished)
        std::cout << "left     " << name << " of " << table << ": " << tables << " tables of "
                  << bytes / 1'000'000 << " MB, " << time_text(bytes)
                  << ". A daemon does it that owns the tables, else `receiptd migrate --finish`\n";
}

void print(const MigrationPlan& plan) {
    for (const auto& step : plan.migrations) {
        std::cout << "pending  " << step.name << (plan.status.applied.empty() ? ": makes tables\n" : "\n");
        print(step);
    }
    if (!plan.schema.empty())
        std::cout << "pending  schema/: " << plan.schema.size()
                  << " files of views, functions, comments and rights; readers of a view wait for moments\n";
    for (const auto& step : plan.schema) print(step);
    for (const auto& place : plan.daemons)
        std::cout << "daemon   " << place
                  << (plan.status.current() ? " runs\n"
                                            : " goes on; restart it with this version afterwards\n");
    for (const auto& object : plan.foreign) std::cout << "foreign  " << object.in_words << '\n';
    if (!plan.foreign.empty() && !plan.status.current())
        std::cout << "         All is one transaction, so that either these stay or nothing is changed\n";
    if (!plan.transactions.empty()) std::cout << "waits    for " << plan.transactions << '\n';
    print(plan.unfinished);
    if (!plan.status.problem.empty())
        std::cout << "problem  " << plan.status.problem << '\n';
    else if (!plan.status.current() && !plan.status.user_owns)
        std::cout << "problem  user \"" << plan.status.user
                  << "\" may not do it: run `receiptd migrate` as \"" << plan.status.owner << "\"\n";
    else if (plan.status.current() && plan.unfinished.empty())
        std::cout << "nothing to do\n";
}

// With the command that does what this user may not do; `option` is of this command.
[[noreturn]] void refuse_without_rights(const storage::DatabaseOptions& database,
                                        const storage::MigrationStatus& status,
                                        const std::string& config_file, const std::string& what,
                                        const std::string& option = "") {
    throw storage::StorageError(what + "; user \"" + status.user + "\" may not change it. Run this first: " +
                                storage::migrate_command(database, status.owner, config_file) + option +
                                " (a password is taken from PGPASSWORD or ~/.pgpass)");
}

int show_status(const storage::DatabaseOptions& database, bool as_json) {
    const auto status = storage::migrate_status(database);
    as_json ? print_json(to_json(status)) : print(status);
    return status.current() ? kOk : kFailed;
}

int show_plan(const storage::DatabaseOptions& database, bool as_json) {
    const auto plan = storage::migration_plan(database);
    as_json ? print_json(to_json(plan)) : print(plan);
    return plan.status.problem.empty() ? kOk : kFailed;
}

void print_done(const std::vector<storage::Unfinished>& before,
                const std::vector<storage::Unfinished>& left) {
    for (auto done : before) {
        const auto rest = std::ranges::find_if(
            left, [&](const auto& each) { return each.table == done.table && each.name == done.name; });
        if (rest != left.end()) {
            done.tables_left -= std::min(done.tables_left, rest->tables_left);
            done.bytes_left -= std::min(done.bytes_left, rest->bytes_left);
        }
        if (done.tables_left > 0)
            std::cout << "finished " << done.name << " of " << done.table << ": " << done.tables_left
                      << " tables of " << done.bytes_left / 1'000'000 << " MB\n";
    }
}

int finish(const storage::DatabaseOptions& database) {
    const auto before = storage::migration_plan(database).unfinished;
    const auto left = storage::finish_migrations(database);
    print_done(before, left);
    print(left);
    if (!left.empty()) return kFailed;
    std::cout << "nothing is left\n";
    return kOk;
}

}  // namespace

void update_schema(const config::Settings& settings, const std::string& config_file,
                   std::optional<std::chrono::milliseconds> patience) {
    auto database = database_options(settings);
    database.patience = patience;
    const auto status = storage::migrate_status(database);
    if (!status.problem.empty()) throw storage::StorageError(status.problem);
    if (status.current()) return;
    if (!status.user_owns) refuse_without_rights(database, status, config_file, status.outdated());
    for (const auto& name : storage::migrate(database, settings.database.readonly_role))
        log::info("database schema updated", {{"file", name}});
}

int migrate(const config::Settings& settings, const MigrateCommand& command) {
    auto database = database_options(settings);
    if (!command.database_url.empty()) database.url = base::Secret(command.database_url);
    if (command.what == MigrateCommand::What::status) return show_status(database, command.as_json);
    if (command.what == MigrateCommand::What::plan) return show_plan(database, command.as_json);
    const auto before = storage::migrate_status(database);
    if (!before.problem.empty()) throw storage::StorageError(before.problem);
    if (!before.user_owns && !before.current())
        refuse_without_rights(database, before, command.config_file, before.outdated());
    if (!before.user_owns && command.what == MigrateCommand::What::finish &&
        !storage::migration_plan(database).unfinished.empty())
        refuse_without_rights(database, before, command.config_file,
                              "the database has work that a migration left for later", " --finish");
    if (!before.user_owns) {
        std::cout << "nothing to do; rights are granted by user \"" << before.owner << "\"\n";
        return kOk;
    }
    const auto applied = storage::migrate(database, settings.database.readonly_role);
    for (const auto& name : applied) std::cout << "applied " << name << '\n';
    if (command.what == MigrateCommand::What::finish) return finish(database);
    const auto left = storage::migration_plan(database).unfinished;
    print(left);
    if (applied.empty() && left.empty()) std::cout << "nothing to do\n";
    return kOk;
}

}  // namespace receiptd::app
