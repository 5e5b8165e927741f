#include "app/cli.hpp"

#include "app/cli_silences.hpp"
#include "app/commands.hpp"
#include "base/log.hpp"
#include "storage/delivery_access.hpp"

#include <CLI/CLI.hpp>

#include <sys/resource.h>

#include <cstdio>
#include <exception>
#include <functional>

namespace receiptd::app {
namespace {

constexpr const char* kAbout =
    "receiptd follows NEAR transactions to their last receipt and stores them in PostgreSQL.\n"
    "Configuration: docs/configuration.md, docs/receiptd.example.toml.";

constexpr const char* kExamples =
    "Examples:\n"
    "  receiptd check-config --config receiptd.toml\n"
    "  receiptd run --config receiptd.toml\n"
    "  receiptd tx HASH SENDER --config receiptd.toml\n"
    "`receiptd SUBCOMMAND --help` shows the options of a subcommand.";

constexpr const char* kMetadata =
    "A JSON object of at most 4096 bytes, which every message about the transaction repeats";

constexpr const char* kSubmitExitCodes =
    "Exit codes:\n"
    "   0  accepted\n"
    "   1  the database or the hosts did not answer; submit it again\n"
    "   2  the file is not a signed transaction\n"
    "  20  rejected: the hosts do not accept it\n"
    "  25  the idempotency key belongs to another transaction, or its metadata is another one\n"
    "With --wait also the codes of `receiptd watch --wait`.";

constexpr const char* kWatchExitCodes =
    "Exit codes:\n"
    "   0  watched; with --wait: succeeded\n"
    "  25  already watched with another sender, or with other metadata\n"
    "With --wait also:\n"
    "   3  succeeded, but a failure was handled or tokens came back\n"
    "  10  failed             11  callback_failed    12  receipt_failed\n"
    "  20  rejected           21  forwarding_failed  22  dropped\n"
    "  23  expired            24  unknown";

constexpr const char* kVerifyExitCodes =
    "Prints the type of the message.\n"
    "Exit codes:\n"
    "   0  a running receiptd with this secret has sent it within five minutes\n"
    "   1  it is not verified; the line on standard error says why\n"
    "   2  the secret or the headers cannot be read";

// Keys and passwords live in memory: a crash must not write them to disk.
void forbid_core_files() {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
}

class CommandLine {
public:
    CommandLine() : parser_(kAbout, "receiptd") {
        parser_.require_subcommand(1);
        parser_.fallthrough();
        parser_.footer(kExamples);
        parser_.add_option("--config", config_file_, "Configuration file (TOML)")->capture_default_str();
        add_run();
        add_backfill();
        add_migrate();
        add_repair();
        add_rejudge();
        add_status();
        add_tx();
        add_alerts();
        add_rules();
        add_lists();
        add_endpoints();
        add_silences(parser_, [this](WithSettings command) { choose(std::move(command)); });
        add_verify_webhook();
        add_submit();
        add_watch();
        parser_.add_subcommand("check-config", "Check the configuration and report all problems")
            ->callback([this] { chosen_ = [this] { return check_config(config_file_); }; });
        parser_.add_subcommand("version", "Print the versions of the program, compiler and Boost")
            ->callback([this] { chosen_ = [] { return print_version(); }; });
    }

    int run(int argc, char** argv) {
        try {
            parser_.parse(argc, argv);
        } catch (const CLI::ParseError& problem) {
            return parser_.exit(problem) == 0 ? kOk : kUsage;
        }
        return chosen_();
    }

private:
    void choose(WithSettings command) {
        chosen_ = [this, command = std::move(command)] {
            const auto settings = load_settings(config_file_);
            return settings ? command(*settings) : kUsage;
        };
    }

    void add_run() {
        auto* command = parser_.add_subcommand("run", "Follow the chain until it is stopped");
        command->add_option("--until", until_, "Stop when all heights up to this one are stored");
        command->add_flag("--join", join_,
                          "With scope accounts: ignore follow.accounts and follow the accounts of the other "
                          "daemons on the database");
        command->callback([this] {
            choose([this](const auto& settings) {
                return app::run(settings, {until_, config_file_, join_});
            });
        });
    }

    void add_backfill() {
        auto* command =
            parser_.add_subcommand("backfill", "Store a range of past heights; run it again to resume");
        command->add_option("--from", from_, "First height")->required();
        command->add_option("--to", to_, "Last height")->required();
        command->callback([this] {
            if (from_ > to_) throw CLI::ValidationError("--from", "must not be above --to");
            choose([this](const auto& settings) { return app::backfill(settings, {from_, to_}); });
        });
    }

    void add_migrate() {
        auto* command = parser_.add_subcommand("migrate", "Create or update the database schema");
        command->add_flag("--status", status_only_, "Only list applied and pending migrations");
        command->callback([this] {
            choose([this](const auto& settings) { return app::migrate(settings, status_only_); });
        });
    }

    void add_repair() {
        auto* command = parser_.add_subcommand(
            "repair", "Delete a stored block that does not belong to the chain and fetch the height again");
        command->add_option("--height", height_, "Height of the block")->required();
        command->callback(
            [this] { choose([this](const auto& settings) { return app::repair(settings, height_); }); });
    }

    void add_rejudge() {
        auto* command =
            parser_.add_subcommand("rejudge", "Judge stored trees again with the rules of this version");
        command->footer(
            "Writes roles, verdicts and findings. Sends no requests and no alerts.\nWithout --from and --to: "
            "all trees judged by older rules.");
        command->add_option("--from", first_, "First height of the transactions");
        command->add_option("--to", last_, "Last height of the transactions");
        command->callback([this] {
            if (first_ && last_ && *first_ > *last_)
                throw CLI::ValidationError("--from", "must not be above --to");
            choose([this](const auto& settings) { return app::rejudge(settings, first_, last_); });
        });
    }

    void add_status() {
        auto* command =
            parser_.add_subcommand("status", "Show the stored heights and the state of the running daemon");
        command->add_flag("--json", as_json_, "Print one JSON object");
        command->callback(
            [this] { choose([this](const auto& settings) { return app::status(settings, as_json_); }); });
    }

    void add_tx() {
        auto* command =
            parser_.add_subcommand("tx", "Show the tree of a transaction with the failing branch marked");
        command
            ->add_option("hash", tx_.reference,
                         "Transaction hash, id of a stored receipt, or address of either in an explorer")
            ->required();
        command->add_option("sender", tx_.sender_id,
                            "Account of the signer; needed if the transaction is not stored");
        auto* as_json =
            command->add_flag("--json", tx_.as_json, "Print JSON, the same as GET /v1/transactions/{hash}");
        command->add_option("--svg", tx_.svg_file, "Write its picture to this file; - for standard output")
            ->excludes(as_json);
        command->callback([this] {
            choose([this](const auto& settings) { return app::show_transaction(settings, tx_); });
        });
    }

    void add_submit() {
        auto* command = parser_.add_subcommand("submit", "Check, store, send and watch a signed transaction");
        command->footer(kSubmitExitCodes);
        command
            ->add_option("file", submit_.file,
                         "File with the signed transaction, base64 or Borsh bytes; - for standard input")
            ->required();
        command->add_option("--idempotency-key", submit_.idempotency_key,
                            "A second submission with the same key must be the same transaction");
        command->add_option("--metadata", submit_.metadata, kMetadata);
        command->add_flag("--wait", submit_.wait, "Print each new stage, until the transaction has ended");
        command->callback([this] {
            choose([this](const auto& settings) { return submit_transaction(settings, submit_); });
        });
    }

    void add_watch() {
        auto* command = parser_.add_subcommand("watch", "Watch a transaction to its end");
        command->footer(kWatchExitCodes);
        command->add_option("hash", watch_.tx_hash, "Transaction hash")->required();
        command->add_option("sender", watch_.sender_id, "Account of the signer")->required();
        command->add_option("--metadata", watch_.metadata, kMetadata);
        command->add_flag("--wait", watch_.wait, "Print each new stage, until the transaction has ended");
        command->callback(
            [this] { choose([this](const auto& settings) { return watch_transaction(settings, watch_); }); });
    }

    void add_alerts() {
        auto* command = parser_.add_subcommand("alerts", "List and show alerts, or send them again");
        command->require_subcommand(1);
        add_alerts_list(*command);
        auto* show = command->add_subcommand("show", "Show an alert: its cause, its body, its deliveries");
        show->add_option("alert_id", alerts_show_.alert_id, "Id as shown by `alerts list`")->required();
        show->add_flag("--json", alerts_show_.as_json, "Print JSON, the same as GET /v1/alerts/{alert_id}");
        show->callback(
            [this] { choose([this](const auto& settings) { return show_alert(settings, alerts_show_); }); });
        add_alerts_resend(*command);
    }

    static void add_choice(CLI::App& command, AlertsChosen& chosen) {
        command.add_option("--endpoint", chosen.endpoint, "Only deliveries to this endpoint");
        command.add_option("--rule", chosen.rule, "Only deliveries that this rule wanted");
        command.add_option("--group", chosen.group_id, "Only deliveries of this group of alerts");
        command.add_option("--since", chosen.since, "Only alerts that were made at this time or later");
        command.add_option("--until", chosen.until, "Only alerts that were made before this time");
    }

    void add_alerts_list(CLI::App& command) {
        auto* list = command.add_subcommand("list", "List deliveries, newest first");
        list->add_option("--state", alerts_list_.chosen.state, "Only deliveries in this state")
            ->check(CLI::IsMember(
                std::vector<std::string>(storage::kDeliveryStates.begin(), storage::kDeliveryStates.end())));
        add_choice(*list, alerts_list_.chosen);
        list->add_option("--limit", alerts_list_.limit, "Maximum number of deliveries")
            ->check(CLI::Range(1, 100'000))
            ->capture_default_str();
        list->add_option("--cursor", alerts_list_.cursor, "Go on where an earlier list ended");
        list->add_flag("--json", alerts_list_.as_json, "Print a JSON array");
        list->callback(
            [this] { choose([this](const auto& settings) { return list_alerts(settings, alerts_list_); }); });
    }

    void add_alerts_resend(CLI::App& command) {
        auto* resend =
            command.add_subcommand("resend", "Send deliveries again now, in whatever state they are");
        auto* ids = resend->add_option("alert_id", alerts_resend_.alert_ids, "Ids as shown by `alerts list`");
        auto* dead = resend->add_flag_callback(
            "--dead", [this] { alerts_resend_.chosen.state = "dead"; }, "All dead deliveries");
        add_choice(*resend, alerts_resend_.chosen);
        for (auto* option : {dead, resend->get_option("--rule"), resend->get_option("--since"),
                             resend->get_option("--until")})
            option->excludes(ids);
        resend->add_flag("--yes", alerts_resend_.yes,
                         "Needed with --rule and --since: they choose deliveries that have arrived, too");
        resend->add_flag("--dry-run", alerts_resend_.dry_run, "Only count them");
        resend->callback([this] {
            const auto& given = alerts_resend_.chosen;
            if (alerts_resend_.alert_ids.empty() && given.state.empty() && given.rule.empty() &&
                given.since.empty())
                throw CLI::RequiredError("alerts resend: an alert_id, --rule, --since or --dead");
            choose([this](const auto& settings) { return resend_alerts(settings, alerts_resend_); });
        });
    }

    void add_rules() {
        auto* command = parser_.add_subcommand("rules", "Show the alert rules");
        command->require_subcommand(1);
        auto* list = command->add_subcommand("list", "List the rules of all daemons on the database");
        list->add_flag("--json", as_json_, "Print a JSON array");
        list->callback(
            [this] { choose([this](const auto& settings) { return list_rules(settings, as_json_); }); });
        auto* check = command->add_subcommand("check", "Report all problems of the rules of a file");
        check->add_option("file", rules_file_, "File with [[rule]] and [[list]]; default: the configuration");
        check->callback([this] {
            chosen_ = [this] { return check_rules(rules_file_.empty() ? config_file_ : rules_file_); };
        });
        auto* test = command->add_subcommand(
            "test",
            "Count what the rules of the configuration would have told of stored history; sends nothing");
        test->add_option("--from", rules_test_.from, "First height")->required();
        test->add_option("--to", rules_test_.to, "Last height")->required();
        test->add_option("--rule", rules_test_.rule, "Only this rule");
        test->add_flag("--json", rules_test_.as_json, "Print a JSON object with every alert");
        test->callback([this] {
            if (rules_test_.from > rules_test_.to)
                throw CLI::ValidationError("--from", "must not be above --to");
            choose([this](const auto& settings) { return test_rules(settings, rules_test_); });
        });
    }

    void add_lists() {
        auto* command = parser_.add_subcommand("lists", "Show and change the account lists of rules");
        command->require_subcommand(1);
        auto* list = command->add_subcommand("list", "List them");
        list->add_flag("--json", as_json_, "Print a JSON array");
        list->callback(
            [this] { choose([this](const auto& settings) { return list_lists(settings, as_json_); }); });
        for (const bool is_listed : {true, false}) {
            auto* change = command->add_subcommand(
                is_listed ? "add" : "remove",
                is_listed ? "Put an account on a list" : "Take an account off a list");
            change->add_option("list", list_change_.list, "Name of the list")->required();
            change->add_option("account", list_change_.account_id, "The account")->required();
            change->callback([this, is_listed] {
                list_change_.is_listed = is_listed;
                choose([this](const auto& settings) { return change_list(settings, list_change_); });
            });
        }
    }

    void add_endpoints() {
        auto* command = parser_.add_subcommand("endpoints", "Show, test and switch on endpoints of alerts");
        command->require_subcommand(1);
        auto* list = command->add_subcommand("list", "List the endpoints of all daemons on the database");
        list->add_flag("--json", as_json_, "Print a JSON array");
        list->callback(
            [this] { choose([this](const auto& settings) { return list_endpoints(settings, as_json_); }); });
        auto* test = command->add_subcommand("test", "Send an endpoint of the configuration a test message");
        test->add_option("name", endpoint_test_.name, "Name of the endpoint")->required();
        test->add_flag("--json", endpoint_test_.as_json, "Print a JSON object");
        test->callback([this] {
            choose([this](const auto& settings) { return test_endpoint(settings, endpoint_test_); });
        });
        auto* enable = command->add_subcommand("enable", "Switch on an endpoint that answered 410");
        enable->add_option("name", endpoint_test_.name, "Name of the endpoint")->required();
        enable->callback([this] {
            choose([this](const auto& settings) { return enable_endpoint(settings, endpoint_test_.name); });
        });
    }

    void add_verify_webhook() {
        auto* command = parser_.add_subcommand(
            "verify-webhook", "Verify the signature of a request whose body comes on standard input");
        command->footer(kVerifyExitCodes);
        auto* env =
            command->add_option("--secret-env", verify_.secret_env, "Environment variable with the secret");
        auto* file = command->add_option("--secret-file", verify_.secret_file, "File with the secret");
        file->excludes(env);
        command->add_option("--header", verify_.headers, "A header, \"webhook-id: ...\"; repeat it")
            ->allow_extra_args(false);
        command->add_option("--headers", verify_.headers_file, "File with the headers, one a line");
        command->add_flag("--any-age", verify_.any_age, "Accept a request that was sent long ago");
        command->callback([this] {
            if (verify_.secret_env.empty() && verify_.secret_file.empty())
                throw CLI::RequiredError("verify-webhook: --secret-env or --secret-file");
            chosen_ = [this] { return verify_webhook(verify_); };
        });
    }

    CLI::App parser_;
    std::string config_file_ = "receiptd.toml";
    std::optional<base::Height> until_;
    bool join_ = false;
    std::optional<base::Height> first_;
    std::optional<base::Height> last_;
    base::Height from_ = 0;
    base::Height to_ = 0;
    base::Height height_ = 0;
    bool status_only_ = false;
    bool as_json_ = false;
    AlertsList alerts_list_;
    AlertsShow alerts_show_;
    AlertsResend alerts_resend_;
    ListChange list_change_;
    RulesTest rules_test_;
    std::string rules_file_;
    app::TxCommand tx_;
    SubmitCommand submit_;
    WatchCommand watch_;
    VerifyWebhook verify_;
    EndpointTest endpoint_test_;
    std::function<int()> chosen_;
};

}  // namespace

int main(int argc, char** argv) {
    forbid_core_files();
    try {
        return CommandLine().run(argc, argv);
    } catch (const std::exception& e) {
        log::error("receiptd ends", {{"because", e.what()}});
        return kFailed;
    }
}

}  // namespace receiptd::app
