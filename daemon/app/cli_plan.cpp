#include "app/cli_parts.hpp"
#include "app/commands.hpp"
#include "base/units.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace receiptd::app {

void add_plan(const CommandParts& parts) {
    struct Given {
        PlanCommand plan;
        std::string disk;
    };
    const auto given = std::make_shared<Given>();
    auto* command = parts.parser.add_subcommand(
        "plan", "Reckon the requests and the disk that following needs, from recent blocks of the chain");
    command->footer(
        "Asks the hosts for some hundred objects, within their budgets. Needs no database.\nCompares source "
        "rpc with neardata if both are configured.");
    command->add_option("--blocks", given->plan.blocks, "Heights to sample")->check(CLI::Range(6, 3'000));
    command->add_option("--trees", given->plan.trees, "Transactions to sample")->check(CLI::Range(1, 3'000));
    command->add_option("--disk", given->disk, "Say how many days so much disk lasts, for example 500GB");
    command->add_flag("--json", given->plan.as_json, "Print a JSON array");
    command->callback([given, choose = parts.choose] {
        const auto bytes = base::parse_bytes(given->disk);
        if (!given->disk.empty() && !bytes)
            throw CLI::ValidationError("--disk", "must be a size such as 500GB");
        given->plan.disk_bytes = bytes.value_or(0);
        choose([given](const config::Settings& settings) { return plan(settings, given->plan); });
    });
}

}  // namespace receiptd::app
