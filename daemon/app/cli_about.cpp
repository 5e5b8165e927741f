// What the program tells of itself.
#include "app/cli_parts.hpp"
#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/print_json.hpp"
#include "app/version.hpp"
#include "cli/completion.hpp"
#include "cli/manual.hpp"

#include <CLI/CLI.hpp>

#include <boost/version.hpp>

#include <memory>

namespace receiptd::app {
namespace {

std::string boost_version() {
    return std::to_string(BOOST_VERSION / 100000) + '.' + std::to_string(BOOST_VERSION / 100 % 1000);
}

int print_version(bool as_json) {
    if (as_json)
        print_json({{"version", RECEIPTD_VERSION},
                    {"commit", kCommit},
                    {"compiler", __VERSION__},
                    {"boost", boost_version()}});
    else
        std::cout << "receiptd " << version_and_commit() << ", compiler " << __VERSION__ << ", Boost "
                  << boost_version() << '\n';
    return kOk;
}

cli::Manual manual() {
    cli::Manual manual;
    manual.summary = "follow NEAR transactions to their last receipt, into PostgreSQL";
    manual.version = RECEIPTD_VERSION;
    manual.sections = {
        {"Exit status", all_exit_codes()},
        {"Environment",
         {{"RECEIPTD_CONFIG", "The configuration file, where --config is not given"},
          {"NO_COLOR", "Set to anything: no colours on a terminal"}}},
        {"Files",
         {{"receiptd.toml",
           "The configuration, if it is in the working directory and neither --config nor RECEIPTD_CONFIG "
           "says "
           "another one"},
          {"/etc/receiptd/receiptd.toml", "The configuration, where none of these is there"}}}};
    manual.see_also = {"receiptd-sandbox(1)", "/usr/share/doc/receiptd/"};
    return manual;
}

}  // namespace

std::string version_and_commit() { return std::string(RECEIPTD_VERSION " (") + kCommit + ')'; }

void add_about(const CommandParts& parts) {
    const auto as_json = std::make_shared<bool>(false);
    auto* version = parts.parser.add_subcommand(
        "version", "Print the versions of the program, its sources, compiler and Boost");
    version->add_flag("--json", *as_json, "Print a JSON object");
    version->callback([as_json, choose = parts.choose_with_file] {
        choose([as_json](const auto&) { return print_version(*as_json); });
    });
    const auto shell = std::make_shared<std::string>();
    auto* completion = parts.parser.add_subcommand("completion", "Print the script that completes commands");
    completion->add_option("shell", *shell, "The shell that reads it")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    completion->footer("For this session: source <(receiptd completion bash)");
    completion->callback([shell, choose = parts.choose_with_file] {
        choose([shell](const auto&) {
            std::cout << cli::completion_script(*shell, "receiptd").value_or("");
            return kOk;
        });
    });
    const auto as_markdown = std::make_shared<bool>(false);
    auto* page = parts.parser.add_subcommand("manual", "Print this manual, for man(1)");
    page->add_flag("--markdown", *as_markdown, "In Markdown");
    page->callback([as_markdown, choose = parts.choose_with_file, &parser = parts.parser] {
        choose([as_markdown, &parser](const auto&) {
            std::cout << (*as_markdown ? cli::manual_markdown(parser, manual())
                                       : cli::manual_page(parser, manual()));
            return kOk;
        });
    });
}

}  // namespace receiptd::app
