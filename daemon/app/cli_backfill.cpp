#include "app/cli_parts.hpp"
#include "app/commands.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::app {
namespace {

struct GivenBackfill {
    std::optional<base::Height> from;
    std::optional<base::Height> to;
    std::vector<std::string> accounts;
    bool cancel = false;
    bool plan = false;
    bool as_json = false;
};

BackfillCommand command_of(const GivenBackfill& given, const std::string& config_file) {
    BackfillCommand command;
    command.accounts = given.accounts;
    command.config_file = config_file;
    if (given.from || given.to)
        command.range = base::HeightRange{given.from.value_or(0), given.to.value_or(base::kTopHeight)};
    return command;
}

void check_backfill(const GivenBackfill& given) {
    const bool has_range = given.from && given.to;
    if (given.accounts.empty() && !given.plan && !has_range)
        throw CLI::ValidationError("--from", "and --to are required, or --accounts");
    if (has_range && *given.from > *given.to) throw CLI::ValidationError("--from", "must not be above --to");
    if (given.cancel && (!given.accounts.empty() || given.plan))
        throw CLI::ValidationError("--cancel", "is of a range of missing heights");
}

}  // namespace

void add_backfill(const CommandParts& parts) {
    const auto given = std::make_shared<GivenBackfill>();
    auto* command =
        parts.parser.add_subcommand("backfill", "Store a range of past heights; run it again to resume");
    command->footer(
        "With --accounts: fetches heights again that were stored before these accounts were followed, for "
        "the "
        "rows that belong to them.\nWithout --from or --to: all that they lack. Source neardata asks for "
        "each "
        "height once.\nSource rpc asks for each block and its chunks, and for the trees of the transactions "
        "that "
        "touch the accounts.");
    command->add_option("--from", given->from, "First height");
    command->add_option("--to", given->to, "Last height");
    command
        ->add_option("--accounts", given->accounts,
                     "Accounts that were followed later, for example a.near,b.near")
        ->delimiter(',');
    command->add_flag("--cancel", given->cancel,
                      "Give the range up: what is not stored of it is missing no more");
    auto* plan = command->add_flag(
        "--plan", given->plan, "Only say what followed accounts lack, and the requests that filling needs");
    command->add_flag("--json", given->as_json, "Print the plan as a JSON object")->needs(plan);
    command->callback([given, parts] {
        check_backfill(*given);
        parts.choose([given, file = parts.config_file()](const config::Settings& settings) {
            const auto ordered = command_of(*given, file);
            if (given->cancel) return skip(settings, *ordered.range);
            return given->plan ? plan_backfill(settings, ordered, given->as_json)
                               : backfill(settings, ordered);
        });
    });
}

void add_reindex(const CommandParts& parts) {
    struct Given {
        base::HeightRange range;
        bool plan = false;
        bool as_json = false;
    };
    const auto given = std::make_shared<Given>();
    auto* command = parts.parser.add_subcommand(
        "reindex", "Fetch stored heights again and replace their rows; run it again to resume");
    command->footer(
        "For rows that are suspected to be wrong, or that this version reads better. Only rows of the blocks "
        "that are stored are replaced:\nheights that no host gives as they are stored keep theirs, and are "
        "named. Trees that cross the range are judged again.\nNobody is told of what it finds; what people "
        "were told and does not hold is corrected.\nA daemon may run meanwhile, and goes on with what was "
        "interrupted. A block that is not of the chain is removed by `receiptd repair`.");
    command->add_option("--from", given->range.from, "First height")->required();
    command->add_option("--to", given->range.to, "Last height")->required();
    auto* plan =
        command->add_flag("--plan", given->plan, "Only say how many heights and requests it will be");
    command->add_flag("--json", given->as_json, "Print the plan as a JSON object")->needs(plan);
    command->callback([given, parts] {
        if (given->range.from > given->range.to)
            throw CLI::ValidationError("--from", "must not be above --to");
        parts.choose([given, file = parts.config_file()](const config::Settings& settings) {
            const BackfillCommand ordered{given->range, {}, true, file};
            return given->plan ? plan_backfill(settings, ordered, given->as_json)
                               : backfill(settings, ordered);
        });
    });
}

void add_forget(const CommandParts& parts) {
    const auto given = std::make_shared<ForgetCommand>();
    auto* command = parts.parser.add_subcommand("forget", "Follow an account no more");
    command->footer(
        "All daemons on the database stop storing what belongs to it within seconds. Its rows stay.\nTake it "
        "out of "
        "follow.accounts first: a daemon that starts or reloads with it follows it again.\nWith --rows: also "
        "deletes its trees, each as a whole, but for those that another followed account or a watch touches, "
        "and "
        "those that are not over.\nAlerts stay. It can be interrupted, and run again.");
    command->add_option("--account", given->account, "The account")->required();
    auto* rows =
        command->add_flag("--rows", given->rows, "Delete the trees that nobody else in scope touches");
    auto* plan = command->add_flag("--plan", given->plan, "Change nothing; count these trees")->needs(rows);
    command->add_flag("--json", given->as_json, "Print the count as a JSON object")->needs(plan);
    command->callback([given, choose = parts.choose] {
        choose([given](const config::Settings& settings) { return forget_account(settings, *given); });
    });
}

void add_scope(const CommandParts& parts) {
    const auto given = std::make_shared<ScopeCommand>();
    auto* command = parts.parser.add_subcommand(
        "scope", "Show what the database stores, and at which heights it is whole; or change it");
    command->footer(
        "A change needs all daemons on the database stopped, and follow.scope set to the same.\nAfterwards "
        "`receiptd "
        "backfill --accounts '*'` fetches what heights lack that were stored before everything was "
        "followed.");
    command->add_option("--set", given->set, "The new scope")
        ->check(CLI::IsMember({"headers", "accounts", "all"}));
    command->add_flag("--json", given->as_json, "Print a JSON object");
    command->callback([given, choose = parts.choose] {
        choose([given](const config::Settings& settings) { return scope(settings, *given); });
    });
}

}  // namespace receiptd::app
