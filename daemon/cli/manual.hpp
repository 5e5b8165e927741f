// The manual of a program, from its tree of commands. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace receiptd::cli {

struct Manual {
    std::string summary;  // a line, without a full stop
    std::string version;
    // Title and entries, which stand behind the commands: a term and what it means.
    using Entries = std::vector<std::pair<std::string, std::string>>;
    std::vector<std::pair<std::string, Entries>> sections;
    std::vector<std::string> see_also;
};

// As man(1) reads it, section 1.
std::string manual_page(const CLI::App& root, const Manual& manual);
// As docs/commands.md has it.
std::string manual_markdown(const CLI::App& root, const Manual& manual);

}  // namespace receiptd::cli
