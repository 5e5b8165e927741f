#include "app/cli_parts.hpp"
#include "app/commands.hpp"
#include "storage/partition_report.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

namespace receiptd::app {

void add_partitions(const CommandParts& parts) {
    const auto given = std::make_shared<PartitionsCommand>();
    auto* command = parts.parser.add_subcommand(
        "partitions", "Show the partitions of the history tables, or set how wide the next ones are");
    command->footer(
        "The width is the database's own, the same for all daemons. It counts for partitions that are made "
        "from "
        "now on;\none that is cut short by another ends where that begins. auto: days, and once closed days "
        "are "
        "known to be small, weeks\n(a day below 1 GB) or months (below 100 MB).");
    const std::vector<std::string> widths(storage::kPartitionWidths.begin(), storage::kPartitionWidths.end());
    command->add_option("--width", given->width, "Block time in each partition that is made from now on")
        ->check(CLI::IsMember(widths));
    command->add_flag("--json", given->as_json, "Print a JSON object");
    command->callback([given, choose = parts.choose] {
        choose([given](const auto& settings) { return partitions(settings, *given); });
    });
}

}  // namespace receiptd::app
