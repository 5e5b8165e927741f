// What a shell offers when somebody asks it to complete a command line. The shell's script asks the program
// itself, so it never tells of another version. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace receiptd::cli {

// The word with which `program` is asked: `program __complete WORDS...`, the last of which is begun.
inline constexpr std::string_view kCompleteWord = "__complete";

// A line for each word that the last one may become: "word\tdescription\n". ":files\n": the names of files.
std::string completions(const CLI::App& root, const std::vector<std::string>& words);

// The script for "bash", "zsh" or "fish"; nullopt: another shell.
std::optional<std::string> completion_script(std::string_view shell, const std::string& program);

}  // namespace receiptd::cli
