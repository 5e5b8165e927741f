#include "app/commands.hpp"
#include "app/print_json.hpp"
#include "app/runtime.hpp"
#include "app/store_for_command.hpp"
#include "app/wait_for.hpp"
#include "storage/partition_report.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <iostream>

namespace receiptd::app {
namespace {

nlohmann::json report_json(const storage::PartitionReport& report) {
    using nlohmann::json;
    json tables = json::array();
    for (const auto& table : report.tables)
        tables.push_back({{"table", table.name},
                          {"partitions", table.partitions},
                          {"bytes", table.bytes},
                          {"from_day", table.from_day.empty() ? json() : json(table.from_day)},
                          {"until_day", table.until_day.empty() ? json() : json(table.until_day)}});
    return {{"width", report.width},
            {"automatic", report.is_automatic},
            {"bytes_a_day", report.bytes_a_day ? json(*report.bytes_a_day) : json()},
            {"tables", tables},
            {"locks",
             {{"needed", report.locks.needed},
              {"room", report.locks.room},
              {"tight", report.locks.is_tight()},
              {"advised_max_locks_per_transaction", report.locks.advised}}}};
}

std::string megabytes(std::uint64_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
    return text;
}

void print_report(const storage::PartitionReport& report) {
    std::cout << "width       " << report.width
              << (report.is_automatic ? ", automatic: " : ", set by an operator: ")
              << (report.bytes_a_day
                      ? "a closed day takes " + megabytes(*report.bytes_a_day) + " at most"
                      : std::string("no day with blocks is closed yet, so what one takes is not known"))
              << '\n';
    for (const auto& table : report.tables) {
        char line[128];
        std::snprintf(line, sizeof line, "            %-30s %6llu  %12s", table.name.c_str(),
                      static_cast<unsigned long long>(table.partitions), megabytes(table.bytes).c_str());
        std::cout << line;
        if (!table.from_day.empty())
            std::cout << "  from " << table.from_day << " to before " << table.until_day;
        std::cout << '\n';
    }
    std::cout << "locks       " << report.locks.in_words() << '\n';
}

}  // namespace

int partitions(const config::Settings& settings, const PartitionsCommand& command) {
    StoreForCommand<storage::PgPartitions> database(settings);
    if (!command.width.empty()) wait_for(database.store().set_width(chain_identity(settings), command.width));
    const auto report = wait_for(database.store().report());
    command.as_json ? print_json(report_json(report)) : print_report(report);
    return kOk;
}

}  // namespace receiptd::app
