#include "app/cli_parts.hpp"
#include "app/commands.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace receiptd::app {
namespace {

void add_rules_list(CLI::App& command, const CommandParts& parts) {
    const auto as_json = std::make_shared<bool>(false);
    auto* list = command.add_subcommand("list", "List the rules of all daemons on the database");
    list->add_flag("--json", *as_json, "Print a JSON array");
    list->callback([as_json, choose = parts.choose] {
        choose([as_json](const auto& settings) { return list_rules(settings, *as_json); });
    });
}

void add_rules_check(CLI::App& command, const CommandParts& parts) {
    const auto file = std::make_shared<std::string>();
    const auto as_json = std::make_shared<bool>(false);
    auto* check = command.add_subcommand("check", "Report all problems of the rules of a file");
    check->add_option("file", *file, "File with [[rule]] and [[list]]; default: the configuration")
        ->type_name("FILE");
    check->add_flag("--json", *as_json, "Print a JSON object");
    check->callback([file, as_json, choose = parts.choose_with_file] {
        choose([file, as_json](const auto& config_file) {
            return check_rules(file->empty() ? config_file : *file, *as_json);
        });
    });
}

void add_rules_test(CLI::App& command, const CommandParts& parts) {
    const auto given = std::make_shared<RulesTest>();
    auto* test = command.add_subcommand(
        "test", "Count what the rules of the configuration would have told of stored history; sends nothing");
    test->add_option("--from", given->from, "First height")->required();
    test->add_option("--to", given->to, "Last height")->required();
    test->add_option("--rule", given->rule, "Only this rule");
    test->add_flag("--json", given->as_json, "Print a JSON object with every alert");
    test->callback([given, choose = parts.choose] {
        if (given->from > given->to) throw CLI::ValidationError("--from", "must not be above --to");
        choose([given](const auto& settings) { return test_rules(settings, *given); });
    });
}

}  // namespace

void add_rules(const CommandParts& parts) {
    auto* command = parts.parser.add_subcommand("rules", "Show the alert rules");
    command->require_subcommand(1);
    add_rules_list(*command, parts);
    add_rules_check(*command, parts);
    add_rules_test(*command, parts);
}

void add_lists(const CommandParts& parts) {
    const auto given = std::make_shared<ListChange>();
    const auto as_json = std::make_shared<bool>(false);
    auto* command = parts.parser.add_subcommand("lists", "Show and change the account lists of rules");
    command->require_subcommand(1);
    auto* list = command->add_subcommand("list", "List them");
    list->add_flag("--json", *as_json, "Print a JSON array");
    list->callback([as_json, choose = parts.choose] {
        choose([as_json](const auto& settings) { return list_lists(settings, *as_json); });
    });
    for (const bool is_listed : {true, false}) {
        auto* change =
            command->add_subcommand(is_listed ? "add" : "remove",
                                    is_listed ? "Put an account on a list" : "Take an account off a list");
        change->add_option("list", given->list, "Name of the list")->required();
        change->add_option("account", given->account_id, "The account")->required();
        change->callback([given, is_listed, choose = parts.choose] {
            given->is_listed = is_listed;
            choose([given](const auto& settings) { return change_list(settings, *given); });
        });
    }
}

}  // namespace receiptd::app
