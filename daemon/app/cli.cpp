#include "app/cli.hpp"

#include "app/commands.hpp"
#include "base/log.hpp"

#include <CLI/CLI.hpp>

#include <sys/resource.h>

#include <cstdio>
#include <exception>
#include <functional>

namespace receiptd::app {
namespace {

constexpr const char* kAbout =
    "receiptd follows NEAR transactions to their last receipt, into PostgreSQL.\n"
    "Configuration: docs/configuration.md, docs/receiptd.example.toml.";

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
        parser_.add_option("--config", config_file_, "Configuration file (TOML)")->capture_default_str();
        add_run();
        add_backfill();
        add_migrate();
        add_repair();
        add_rejudge();
        add_status();
        add_tx();
        add_alerts();
        add_submit();
        add_watch();
        parser_.add_subcommand("check-config", "Report every problem of the configuration")->callback([this] {
            chosen_ = [this] { return check_config(config_file_); };
        });
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
    using WithSettings = std::function<int(const config::Settings&)>;

    void choose(WithSettings command) {
        chosen_ = [this, command = std::move(command)] {
            const auto settings = load_settings(config_file_);
            return settings ? command(*settings) : kUsage;
        };
    }

    void add_run() {
        auto* command = parser_.add_subcommand("run", "Follow the chain until stopped");
        command->add_option("--until", until_, "Stop when everything up to this height is committed");
        command->add_flag("--join", join_,
                          "With scope accounts: follow the accounts that the database's daemons follow, "
                          "whatever follow.accounts says");
        command->callback([this] {
            choose([this](const auto& settings) {
                return app::run(settings, {until_, config_file_, join_});
            });
        });
    }

    void add_backfill() {
        auto* command = parser_.add_subcommand("backfill", "Store a range of past heights; resumable");
        command->add_option("--from", from_, "First height")->required();
        command->add_option("--to", to_, "Last height")->required();
        command->callback([this] {
            if (from_ > to_) throw CLI::ValidationError("--from", "must not be above --to");
            choose([this](const auto& settings) { return app::backfill(settings, {from_, to_}); });
        });
    }

    void add_migrate() {
        auto* command = parser_.add_subcommand("migrate", "Create or update the database schema");
        command->add_flag("--status", status_only_, "Only list the applied and the pending migrations");
        command->callback([this] {
            choose([this](const auto& settings) { return app::migrate(settings, status_only_); });
        });
    }

    void add_repair() {
        auto* command = parser_.add_subcommand(
            "repair", "Remove a stored block that is not of this chain; it is fetched again");
        command->add_option("--height", height_, "Height of the block")->required();
        command->callback(
            [this] { choose([this](const auto& settings) { return app::repair(settings, height_); }); });
    }

    void add_rejudge() {
        auto* command = parser_.add_subcommand(
            "rejudge",
            "Judge stored trees again by the rules of this program: roles, verdicts and findings. No host is "
            "asked, nobody is told. Without --from and --to all that earlier rules have judged");
        command->add_option("--from", first_, "First height whose transactions are judged again");
        command->add_option("--to", last_, "Last height");
        command->callback([this] {
            if (first_ && last_ && *first_ > *last_)
                throw CLI::ValidationError("--from", "must not be above --to");
            choose([this](const auto& settings) { return app::rejudge(settings, first_, last_); });
        });
    }

    void add_status() {
        auto* command =
            parser_.add_subcommand("status", "Show what is stored, and the state of the running daemon");
        command->add_flag("--json", as_json_, "As one JSON object");
        command->callback(
            [this] { choose([this](const auto& settings) { return app::status(settings, as_json_); }); });
    }

    void add_tx() {
        auto* command = parser_.add_subcommand("tx", "Show a transaction's tree, failing branch marked");
        command->add_option("hash", tx_hash_, "Transaction hash")->required();
        command->add_option("sender", sender_id_, "Signer's account: needed to ask an upstream");
        command->add_flag("--json", as_json_, "As GET /v1/transactions/{hash} answers it");
        command->callback([this] {
            choose([this](const auto& settings) {
                return app::show_transaction(settings, tx_hash_, sender_id_, as_json_);
            });
        });
    }

    void add_submit() {
        auto* command = parser_.add_subcommand(
            "submit",
            "Check, store, send and watch a signed transaction. Exit code: 0 handed in; 2 no signed "
            "transaction; 20 no node would take it, nothing was sent; 25 the idempotency key belongs to "
            "another one; 1 nobody could be asked. With --wait as of watch");
        command->add_option("file", submit_.file, "Its base64 or Borsh bytes; - for standard input")
            ->required();
        command->add_option("--idempotency-key", submit_.idempotency_key,
                            "With the same key nothing but the same transaction is taken");
        command->add_flag("--wait", submit_.wait, "Print its stages as they come, until it has ended");
        command->callback([this] {
            choose([this](const auto& settings) { return submit_transaction(settings, submit_); });
        });
    }

    void add_watch() {
        auto* command = parser_.add_subcommand(
            "watch",
            "Watch a transaction to its end. Exit code: 25 it is watched with another sender. With --wait: "
            "0 succeeded; 10 failed, 11 callback_failed, 12 receipt_failed; 20 rejected, "
            "21 forwarding_failed, 22 dropped, 23 expired, 24 unknown");
        command->add_option("hash", tx_hash_, "Transaction hash")->required();
        command->add_option("sender", sender_id_, "Signer's account")->required();
        command->add_flag("--wait", wait_, "Print its stages as they come, until it has ended");
        command->callback([this] {
            choose([this](const auto& settings) {
                return watch_transaction(settings, tx_hash_, sender_id_, wait_);
            });
        });
    }

    void add_alerts() {
        auto* command =
            parser_.add_subcommand("alerts", "List the alerts sent to the endpoints, and send them again");
        command->require_subcommand(1);
        auto* list = command->add_subcommand("list", "Deliveries, newest first");
        list->add_option("--state", alerts_list_.state, "Only pending, delivered or dead ones")
            ->check(CLI::IsMember({"pending", "delivered", "dead"}));
        list->add_option("--endpoint", alerts_list_.endpoint, "Only those to this endpoint");
        list->add_option("--limit", alerts_list_.limit, "At most so many")
            ->check(CLI::Range(1, 100'000))
            ->capture_default_str();
        list->add_flag("--json", alerts_list_.as_json, "As a JSON array");
        list->callback(
            [this] { choose([this](const auto& settings) { return list_alerts(settings, alerts_list_); }); });
        auto* resend = command->add_subcommand("resend", "Make deliveries due now, whatever became of them");
        auto* ids = resend->add_option("alert_id", alerts_resend_.alert_ids, "As `alerts list` shows them");
        resend->add_flag("--dead", alerts_resend_.dead, "All that were given up")->excludes(ids);
        resend->add_option("--endpoint", alerts_resend_.endpoint, "Only those to this endpoint");
        resend->callback([this] {
            if (alerts_resend_.alert_ids.empty() && !alerts_resend_.dead)
                throw CLI::RequiredError("alerts resend: an alert_id, or --dead,");
            choose([this](const auto& settings) { return resend_alerts(settings, alerts_resend_); });
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
    AlertsResend alerts_resend_;
    std::string tx_hash_;
    std::string sender_id_;
    bool wait_ = false;
    SubmitCommand submit_;
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
