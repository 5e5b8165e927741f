#include "cli/walk.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace receiptd::cli {
namespace {

bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

const CLI::Option* option_named(const CLI::App& command, const std::string& name) {
    for (const auto* option : options_at(command))
        if (option->check_name(name)) return option;
    return nullptr;
}

void take_option(Walked& walked, const std::string& word) {
    const auto equals = word.find('=');
    const auto* option = option_named(*walked.command, word.substr(0, equals));
    if (option == nullptr)
        walked.not_options.push_back(word.substr(0, equals));
    else if (takes_value(*option) && equals == std::string::npos)
        walked.awaits = option;
}

void take_word(Walked& walked, const std::string& word) {
    if (walked.not_command.empty())
        for (const auto* command : commands_of(*walked.command))
            if (command->check_name(word)) {
                walked.command = command;
                return;
            }
    ++walked.arguments;
    if (!commands_of(*walked.command).empty() && walked.not_command.empty()) walked.not_command = word;
}

}  // namespace

Walked walk(const CLI::App& root, const std::vector<std::string>& words) {
    Walked walked;
    walked.command = &root;
    for (const auto& word : words) {
        // bash takes --option=value for three words.
        if (walked.awaits != nullptr && word == "=") continue;
        if (walked.awaits != nullptr)
            walked.awaits = nullptr;
        else if (!walked.options_ended && word == "--")
            walked.options_ended = true;
        else if (!walked.options_ended && is_option(word))
            take_option(walked, word);
        else
            take_word(walked, word);
    }
    return walked;
}

std::vector<const CLI::App*> commands_of(const CLI::App& command) {
    return command.get_subcommands(
        [](const CLI::App* one) { return !one->get_group().empty() && !one->get_name().empty(); });
}

std::vector<const CLI::Option*> options_at(const CLI::App& command) {
    std::vector<const CLI::Option*> all;
    for (const auto* at = &command; at != nullptr; at = at->get_parent())
        for (const auto* option : at->get_options([](const auto* one) { return one->nonpositional(); }))
            if (std::none_of(all.begin(), all.end(),
                             [&](const auto* known) { return known->get_name() == option->get_name(); }))
                all.push_back(option);
    return all;
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& command) {
    return command.get_options([](const auto* one) { return one->get_positional(); });
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::string path_of(const CLI::App& command) {
    const auto* parent = command.get_parent();
    return parent == nullptr ? command.get_name() : path_of(*parent) + ' ' + command.get_name();
}

}  // namespace receiptd::cli
