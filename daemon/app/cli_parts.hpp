// The command line, a part for each family of commands.
#pragma once

#include "config/settings.hpp"

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace receiptd::app {

using WithSettings = std::function<int(const config::Settings&)>;
using WithConfigFile = std::function<int(const std::string&)>;

// A part adds its commands to `parser`. A command's callback hands over what is to be done: by `choose`,
// which reads the configuration first, or by `choose_with_file`, which only finds it.
struct CommandParts {
    CLI::App& parser;
    std::function<void(WithSettings)> choose;
    std::function<void(WithConfigFile)> choose_with_file;
    std::function<std::string()> config_file;  // as it is given; empty: it is not
};

void add_backfill(const CommandParts& parts);
void add_reindex(const CommandParts& parts);
void add_forget(const CommandParts& parts);
void add_scope(const CommandParts& parts);
void add_alerts(const CommandParts& parts);
void add_endpoints(const CommandParts& parts);
void add_silences(const CommandParts& parts);
void add_verify_webhook(const CommandParts& parts);
void add_rules(const CommandParts& parts);
void add_lists(const CommandParts& parts);
void add_database(const CommandParts& parts);
void add_partitions(const CommandParts& parts);
void add_plan(const CommandParts& parts);
void add_about(const CommandParts& parts);  // version, completion, manual

}  // namespace receiptd::app
