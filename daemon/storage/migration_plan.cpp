#include "storage/migration_plan.hpp"

#include "storage/daemons.hpp"
#include "storage/errors.hpp"
#include "storage/sql_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace receiptd::storage {
namespace {

// A hash index and a b-tree of 768 MB of rows took 13 to 15 s on two busy cores (docs/decisions/0062).
constexpr std::uint64_t kBytesPerSecond = 50'000'000;

// Tables that are there.
constexpr const char* kSizes =
    "SELECT c.relname, count(h.inhrelid), sum(greatest(p.reltuples, 0))::bigint, "
    "  coalesce(sum(pg_table_size(p.oid)), 0)::bigint "
    "FROM pg_class c LEFT JOIN pg_inherits h ON h.inhparent = c.oid "
    "JOIN pg_class p ON p.oid = coalesce(h.inhrelid, c.oid) "
    "WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) "
    "  AND c.relkind IN ('r', 'p') AND c.relname = ANY ($1::text[]) GROUP BY c.relname";

// The rest of a line of comment that begins with `word`; empty: there is none.
std::string line_of(const std::string& text, const std::string& word) {
    const auto lines = '\n' + text;
    const auto begin = "\n-- " + word + ": ";
    const auto at = lines.find(begin);
    if (at == lines.npos) return "";
    const auto rest = at + begin.size();
    return lines.substr(rest, std::min(lines.find('\n', rest), lines.size()) - rest);
}

// A part ends at the first of `separators`, and begins after all of them.
std::vector<std::string> parts_of(std::string_view list, std::string_view separators) {
    std::vector<std::string> parts;
    for (auto at = list.find_first_not_of(separators); at != list.npos;) {
        const auto end = std::min(list.find(separators.front(), at), list.size());
        parts.emplace_back(list.substr(at, end - at));
        at = list.find_first_not_of(separators, end);
    }
    return parts;
}

bool is_lock_mode(const std::string& text) {
    constexpr std::array<std::string_view, 5> kWords{"ACCESS", "ROW", "SHARE", "UPDATE", "EXCLUSIVE"};
    const auto words = parts_of(text, " ");
    return !words.empty() && std::ranges::all_of(words, [&](const auto& word) {
        return std::ranges::find(kWords, word) != kWords.end();
    });
}

std::map<std::string, TableSize> sizes_of(pqxx::transaction_base& tx,
                                          const std::vector<std::string>& tables) {
    std::map<std::string, TableSize> sizes;
    for (const auto& row : shim::query(tx, kSizes, text_array(tables))) {
        const auto name = row[0].as<std::string>();
        sizes[name] = {name, row[1].as<std::uint64_t>(), row[2].as<std::uint64_t>(),
                       row[3].as<std::uint64_t>()};
    }
    return sizes;
}

PlannedStep planned(pqxx::transaction_base& tx, const SqlFile& file) {
    const auto declared = declared_work(file);
    auto tables = declared.afterwards;
    for (const auto& [table, mode] : declared.locks) tables.push_back(table);
    const auto sizes = sizes_of(tx, tables);
    PlannedStep step;
    step.name = file.name;
    for (const auto& [table, mode] : declared.locks)
        if (const auto size = sizes.find(table); size != sizes.end())
            step.locks.emplace_back(size->second, mode);
    for (const auto& table : declared.afterwards)
        if (const auto size = sizes.find(table); size != sizes.end()) step.afterwards.push_back(size->second);
    return step;
}

}  // namespace

DeclaredWork declared_work(const SqlFile& file) {
    DeclaredWork work;
    for (const auto& each : parts_of(line_of(file.text, "Locks"), ", ")) {
        const auto table = each.substr(0, each.find(' '));
        const auto mode = each.substr(std::min(table.size() + 1, each.size()));
        if (!is_name(table) || !is_lock_mode(mode))
            throw StorageError(file.name + ": \"" + each + "\" is not a table and a mode of lock");
        work.locks[table] = mode;
    }
    work.afterwards = parts_of(line_of(file.text, "Afterwards"), ", ");
    return work;
}

MigrationPlan plan_of(pqxx::transaction_base& tx, const SchemaFiles& files) {
    MigrationPlan plan;
    plan.status = status_of(tx, files);
    if (!plan.status.problem.empty()) return plan;
    if (!plan.status.current()) {
        const auto& pending = plan.status.pending;
        for (const auto& file : files.migrations)
            if (std::find(pending.begin(), pending.end(), file.name) != pending.end())
                plan.migrations.push_back(planned(tx, file));
        for (const auto& file : files.schema) plan.schema.push_back(planned(tx, file));
    }
    if (plan.status.applied.empty()) return plan;
    plan.foreign = foreign_objects(tx, files.schema);
    plan.transactions = lock_holders(tx);
    plan.unfinished = unfinished(tx);
    for (const auto& row : tx.exec("SELECT place FROM daemons WHERE " + kAlive + " ORDER BY 1"))
        plan.daemons.push_back(row[0].as<std::string>());
    return plan;
}

std::chrono::seconds time_to_read(std::uint64_t bytes) {
    return std::chrono::seconds((bytes + kBytesPerSecond - 1) / kBytesPerSecond);
}

}  // namespace receiptd::storage
