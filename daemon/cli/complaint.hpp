// What is wrong with a command line that cannot be read, and what was probably meant. Pure.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace receiptd::cli {

// One sentence about the first word that is no command or no option; empty: the fault is another one.
std::string complaint(const CLI::App& root, const std::vector<std::string>& words);

}  // namespace receiptd::cli
