// Where the words of a command line lead in a tree of commands. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace receiptd::cli {

struct Walked {
    const CLI::App* command = nullptr;     // the last one that the words name
    const CLI::Option* awaits = nullptr;   // the option whose value comes next; nullptr: none does
    std::size_t arguments = 0;             // words that `command` takes by their place
    bool options_ended = false;            // by "--"
    std::vector<std::string> not_options;  // words in the form of an option that none is
    std::string not_command;               // the first word that stands where a command must and is none
};

Walked walk(const CLI::App& root, const std::vector<std::string>& words);

// The subcommands that help lists.
std::vector<const CLI::App*> commands_of(const CLI::App& command);
// The options of the command and of the commands above it, which take effect there, too. Help's own comes
// once.
std::vector<const CLI::Option*> options_at(const CLI::App& command);
// The options that are given by their place, in their order.
std::vector<const CLI::Option*> arguments_of(const CLI::App& command);
bool takes_value(const CLI::Option& option);
// "receiptd alerts list".
std::string path_of(const CLI::App& command);

}  // namespace receiptd::cli
