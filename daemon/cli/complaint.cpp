#include "cli/complaint.hpp"

#include "base/nearest.hpp"
#include "base/visible.hpp"
#include "cli/walk.hpp"

#include <CLI/CLI.hpp>

namespace receiptd::cli {
namespace {

std::string told(const char* what, const CLI::App& command, const std::string& word,
                 const std::vector<std::string>& known) {
    auto text = path_of(command) + " has no " + what + ' ' + base::visible(word);
    if (const auto near = base::nearest(word, {known.begin(), known.end()}))
        text += "; did you mean " + std::string(*near) + '?';
    return text;
}

}  // namespace

std::string complaint(const CLI::App& root, const std::vector<std::string>& words) {
    const auto at = walk(root, words);
    std::vector<std::string> known;
    if (!at.not_command.empty()) {
        for (const auto* command : commands_of(*at.command)) known.push_back(command->get_name());
        return told("command", *at.command, at.not_command, known);
    }
    if (at.not_options.empty()) return {};
    for (const auto* option : options_at(*at.command))
        for (const auto& name : option->get_lnames()) known.push_back("--" + name);
    return told("option", *at.command, at.not_options.front(), known);
}

}  // namespace receiptd::cli
