#include "app/cli_parts.hpp"
#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "storage/delivery_access.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace receiptd::app {
namespace {

void add_choice(CLI::App& command, AlertsChosen& chosen) {
    command.add_option("--endpoint", chosen.endpoint, "Only deliveries to this endpoint");
    command.add_option("--rule", chosen.rule, "Only deliveries that this rule wanted");
    command.add_option("--group", chosen.group_id, "Only deliveries of this group of alerts");
    command.add_option("--since", chosen.since, "Only alerts that were made at this time or later");
    command.add_option("--until", chosen.until, "Only alerts that were made before this time");
}

CLI::Option* add_state(CLI::App& command, AlertsChosen& chosen, const char* help) {
    const std::vector<std::string> states(storage::kDeliveryStates.begin(), storage::kDeliveryStates.end());
    return command.add_option("--state", chosen.state, help)->check(CLI::IsMember(states));
}

void add_alerts_list(CLI::App& command, const CommandParts& parts) {
    const auto given = std::make_shared<AlertsList>();
    auto* list = command.add_subcommand("list", "List deliveries, newest first");
    add_state(*list, given->chosen, "Only deliveries in this state");
    add_choice(*list, given->chosen);
    list->add_option("--limit", given->limit, "Maximum number of deliveries")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    list->add_option("--cursor", given->cursor, "Go on where an earlier list ended");
    list->add_flag("--json", given->as_json, "Print a JSON array");
    list->callback([given, choose = parts.choose] {
        choose([given](const auto& settings) { return list_alerts(settings, *given); });
    });
}

void add_alerts_show(CLI::App& command, const CommandParts& parts) {
    const auto given = std::make_shared<AlertsShow>();
    auto* show = command.add_subcommand("show", "Show an alert: its cause, its body, its deliveries");
    show->add_option("alert_id", given->alert_id, "Id as shown by `alerts list`")->required();
    show->add_flag("--json", given->as_json, "Print JSON, the same as GET /v1/alerts/{alert_id}");
    show->callback([given, choose = parts.choose] {
        choose([given](const auto& settings) { return show_alert(settings, *given); });
    });
}

void add_alerts_resend(CLI::App& command, const CommandParts& parts) {
    const auto given = std::make_shared<AlertsResend>();
    auto* resend = command.add_subcommand("resend", "Send deliveries again now, in whatever state they are");
    auto* ids = resend->add_option("alert_id", given->alert_ids, "Ids as shown by `alerts list`");
    auto* state = add_state(*resend, given->chosen, "All deliveries in this state");
    add_choice(*resend, given->chosen);
    for (auto* option :
         {state, resend->get_option("--rule"), resend->get_option("--since"), resend->get_option("--until")})
        option->excludes(ids);
    resend->add_flag("--yes", given->yes,
                     "Needed with --rule and --since: they choose deliveries that have arrived, too");
    resend->add_flag("--dry-run", given->dry_run, "Only count them");
    resend->callback([given, choose = parts.choose] {
        const auto& chosen = given->chosen;
        if (given->alert_ids.empty() && chosen.state.empty() && chosen.rule.empty() && chosen.since.empty())
            throw CLI::RequiredError("alerts resend: an alert_id, --rule, --since or --state");
        choose([given](const auto& settings) { return resend_alerts(settings, *given); });
    });
}

void add_switch(CLI::App& command, const CommandParts& parts, const char* name, const char* help,
                EndpointSwitch::To to) {
    const auto given = std::make_shared<EndpointSwitch>();
    given->to = to;
    auto* added = command.add_subcommand(name, help);
    added->add_option("name", given->name, "Name of the endpoint")->required();
    added->callback([given, choose = parts.choose] {
        choose([given](const auto& settings) { return switch_endpoint(settings, *given); });
    });
}

}  // namespace

void add_alerts(const CommandParts& parts) {
    auto* command = parts.parser.add_subcommand("alerts", "List and show alerts, or send them again");
    command->require_subcommand(1);
    add_alerts_list(*command, parts);
    add_alerts_show(*command, parts);
    add_alerts_resend(*command, parts);
}

void add_endpoints(const CommandParts& parts) {
    const auto given = std::make_shared<EndpointTest>();
    const auto choose = parts.choose;
    auto* command =
        parts.parser.add_subcommand("endpoints", "Show, test, switch on and pause endpoints of alerts");
    command->require_subcommand(1);
    auto* list = command->add_subcommand("list", "List the endpoints of all daemons on the database");
    list->add_flag("--json", given->as_json, "Print a JSON array");
    list->callback([given, choose] {
        choose([given](const auto& settings) { return list_endpoints(settings, given->as_json); });
    });
    auto* test = command->add_subcommand("test", "Send an endpoint of the configuration a test message");
    test->add_option("name", given->name, "Name of the endpoint")->required();
    test->add_flag("--json", given->as_json, "Print a JSON object");
    test->callback([given, choose] {
        choose([given](const auto& settings) { return test_endpoint(settings, *given); });
    });
    using To = EndpointSwitch::To;
    add_switch(*command, parts, "enable", "Switch on an endpoint that answered 410", To::on);
    add_switch(*command, parts, "pause", "Keep what an endpoint gets until it is resumed", To::paused);
    add_switch(*command, parts, "resume", "Send what waits for an endpoint that is paused", To::resumed);
}

void add_verify_webhook(const CommandParts& parts) {
    const auto given = std::make_shared<VerifyWebhook>();
    auto* command = parts.parser.add_subcommand(
        "verify-webhook", "Verify the signature of a request whose body comes on standard input");
    command->footer("Prints the type of the message.\n" + exit_codes_of("verify-webhook"));
    auto* env =
        command->add_option("--secret-env", given->secret_env, "Environment variable with the secret");
    auto* file =
        command->add_option("--secret-file", given->secret_file, "File with the secret")->type_name("FILE");
    file->excludes(env);
    command->add_option("--header", given->headers, "A header, \"webhook-id: ...\"; repeat it")
        ->allow_extra_args(false);
    command->add_option("--headers", given->headers_file, "File with the headers, one a line")
        ->type_name("FILE");
    command->add_flag("--any-age", given->any_age, "Accept a request that was sent long ago");
    command->add_flag("--json", given->as_json, "Print a JSON object: verified, type, because");
    command->callback([given, choose = parts.choose_with_file] {
        if (given->secret_env.empty() && given->secret_file.empty())
            throw CLI::RequiredError("verify-webhook: --secret-env or --secret-file");
        choose([given](const auto&) { return verify_webhook(*given); });
    });
}

}  // namespace receiptd::app
