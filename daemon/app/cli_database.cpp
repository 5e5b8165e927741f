#include "app/cli_parts.hpp"
#include "app/commands.hpp"

#include <CLI/CLI.hpp>

namespace receiptd::app {

void add_database(const CommandParts& parts) {
    auto* command = parts.parser.add_subcommand(
        "database", "Say of a database that was copied or restored whether it replaces the original");
    command->require_subcommand(1);
    command->footer(
        "Names that others know (dedup_key of PagerDuty, References of mails, ids of digests) are made with "
        "the id "
        "of the database.\nA daemon that starts on another server or database than before gives it another "
        "id.");
    const auto add = [&, choose = parts.choose](const char* name, const char* what, DatabaseIdWish wish) {
        command->add_subcommand(name, what)->callback([choose, wish] {
            choose([wish](const auto& settings) { return database_id(settings, wish); });
        });
    };
    add("keep-id", "It replaces a database that is lost: keep its id. Before the first start",
        DatabaseIdWish::keep);
    add("new-id", "It is a copy, and the original goes on: give it an id of its own", DatabaseIdWish::renew);
}

}  // namespace receiptd::app
