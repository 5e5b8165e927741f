#include "app/cli_parts.hpp"
#include "app/commands.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace receiptd::app {
namespace {

struct SilenceOptions {
    SilenceAdd add;
    std::int64_t silence_id = 0;
    bool all = false;
    bool as_json = false;
};

void add_silence_options(CLI::App& add, const std::shared_ptr<SilenceOptions>& given) {
    add.footer(
        "A pattern may contain * and ?. An option that is given twice matches either pattern.\n"
        "Alerts about watched transactions match only if --kind names theirs: completed, final.");
    for (const char* name : {"rule", "endpoint", "kind", "contract", "method", "error_class", "account"})
        add.add_option_function<std::vector<std::string>>(
               "--" + std::string(name),
               [given, name](const std::vector<std::string>& patterns) {
                   for (const auto& pattern : patterns) given->add.patterns.emplace_back(name, pattern);
               },
               std::string(name) == "account" ? "Contract, signer, user, or account of a transfer"
                                              : "Pattern of the " + std::string(name))
            ->allow_extra_args(false);
    auto* lasts = add.add_option("--for", given->add.lasts, "How long, for example 2h");
    add.add_option("--until", given->add.ends_at, "When it ends")->excludes(lasts);
    add.add_option("--from", given->add.starts_at, "When it begins; now if it is not given");
    add.add_option("--reason", given->add.reason, "Why")->required();
    add.add_option("--by", given->add.author, "Who asks for it")->envname("USER")->required();
}

}  // namespace

void add_silences(const CommandParts& parts) {
    const auto given = std::make_shared<SilenceOptions>();
    const auto choose = parts.choose;
    auto* command = parts.parser.add_subcommand("silences", "Keep alerts from being sent for a while");
    command->require_subcommand(1);
    auto* list = command->add_subcommand("list", "List the silences that are active or coming");
    list->add_flag("--all", given->all, "Also those that are over");
    list->add_flag("--json", given->as_json, "Print a JSON array");
    list->callback([given, choose] {
        choose([given](const auto& settings) { return list_silences(settings, given->all, given->as_json); });
    });
    auto* add = command->add_subcommand("add", "Send no alerts that match all of these patterns");
    add_silence_options(*add, given);
    add->callback([given, choose] {
        if (given->add.lasts.empty() && given->add.ends_at.empty())
            throw CLI::RequiredError("silences add: --for or --until");
        choose([given](const auto& settings) { return add_silence(settings, given->add); });
    });
    auto* end = command->add_subcommand("end", "End a silence now");
    end->add_option("silence_id", given->silence_id, "Its number, as shown by `silences list`")->required();
    end->add_option("--by", given->add.author, "Who ends it")->envname("USER")->required();
    end->callback([given, choose] {
        choose([given](const auto& settings) {
            return end_silence(settings, given->silence_id, given->add.author);
        });
    });
}

}  // namespace receiptd::app
