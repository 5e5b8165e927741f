#include "app/cli.hpp"

#include "app/cli_parts.hpp"
#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/own_signals.hpp"
#include "app/process.hpp"
#include "app/version.hpp"
#include "base/log.hpp"
#include "base/visible_stream.hpp"
#include "cli/complaint.hpp"
#include "cli/completion.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <charconv>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>

namespace receiptd::app {
namespace {

constexpr const char* kAbout =
    "receiptd follows NEAR transactions to their last receipt and stores them in PostgreSQL.\n"
    "Configuration: docs/configuration.md, docs/receiptd.example.toml.";

constexpr const char* kExamples =
    "  receiptd check-config --config receiptd.toml\n"
    "  receiptd run --config receiptd.toml\n"
    "  receiptd tx HASH SENDER --config receiptd.toml\n"
    "`receiptd SUBCOMMAND --help` shows the options of a subcommand.";

constexpr const char* kMetadata =
    "A JSON object of at most 4096 bytes, which every message about the transaction repeats";

// Searched in this order where --config and RECEIPTD_CONFIG say nothing.
constexpr const char* kConfigFiles[] = {"receiptd.toml", "/etc/receiptd/receiptd.toml"};

// One that cannot be looked at counts: reading it says why.
std::string found_config() {
    for (const char* file : kConfigFiles) {
        std::error_code fault;
        if (std::filesystem::status(file, fault).type() != std::filesystem::file_type::not_found) return file;
    }
    return kConfigFiles[0];
}

class CommandLine {
public:
    CommandLine() : parser_(kAbout, "receiptd") {
        parser_.require_subcommand(1);
        parser_.fallthrough();
        parser_.set_version_flag("--version", "receiptd " + version_and_commit(),
                                 "Print the version and exit");
        parser_
            .add_option("--config", config_file_,
                        "Configuration file (TOML); default: receiptd.toml here, else "
                        "/etc/receiptd/receiptd.toml")
            ->envname("RECEIPTD_CONFIG")
            ->type_name("FILE");
        const CommandParts parts{parser_, [this](WithSettings command) { choose(std::move(command)); },
                                 [this](WithConfigFile command) { choose_with_file(std::move(command)); },
                                 [this] { return config_file_; }};
        add_run();
        app::add_backfill(parts);
        app::add_reindex(parts);
        app::add_forget(parts);
        app::add_scope(parts);
        add_migrate();
        add_repair();
        add_skip();
        add_rejudge();
        add_status();
        add_tx();
        app::add_alerts(parts);
        app::add_rules(parts);
        app::add_lists(parts);
        app::add_endpoints(parts);
        app::add_silences(parts);
        app::add_database(parts);
        app::add_partitions(parts);
        app::add_plan(parts);
        app::add_verify_webhook(parts);
        add_submit();
        add_watch();
        add_check_config();
        app::add_about(parts);
        parser_.footer(kExamples);  // after the commands, which would inherit it
    }

    int run(int argc, char** argv) {
        const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
        if (!words.empty() && words.front() == cli::kCompleteWord) {
            std::cout << cli::completions(parser_, {words.begin() + 1, words.end()});
            return kOk;
        }
        try {
            parser_.parse(argc, argv);
        } catch (const CLI::ParseError& problem) {
            if (problem.get_exit_code() == 0) return parser_.exit(problem);
            const auto complaint = cli::complaint(parser_, words);
            if (complaint.empty())
                parser_.exit(problem);
            else
                std::cerr << complaint << "\nRun with --help for more information.\n";
            return kUsage;
        }
        if (!reloads_) let_hangup_through();
        return chosen_();
    }

private:
    std::string config_file() const { return config_file_.empty() ? found_config() : config_file_; }

    void choose_with_file(WithConfigFile command) {
        chosen_ = [this, command = std::move(command)] { return command(config_file()); };
    }

    void choose(WithSettings command) {
        choose_with_file([this, command = std::move(command)](const auto& file) {
            const auto settings = load_settings(file, reloads_);
            return settings ? command(*settings) : kUsage;
        });
    }

    void add_run() {
        auto* command = parser_.add_subcommand("run", "Follow the chain until it is stopped");
        command->add_option("--until", until_, "Stop when all heights up to this one are stored");
        command->callback([this] {
            reloads_ = true;
            ignore_broken_pipes();
            choose([this](const auto& settings) { return app::run(settings, {until_, config_file()}); });
        });
    }

    void add_migrate() {
        auto* command = parser_.add_subcommand("migrate", "Create or update the database schema");
        using What = MigrateCommand::What;
        const auto add = [&](const char* name, What what, const char* help) {
            auto* flag = command->add_flag_callback(
                name, [this, what] { migrate_.what = what; }, help);
            for (auto* other : command->get_options())
                if (other != flag && other != command->get_help_ptr()) flag->excludes(other);
        };
        add("--status", What::status, "Only list applied and pending migrations");
        add("--plan", What::plan,
            "Change nothing; say what would be done, for how long, what it locks and what is in the way");
        add("--finish", What::finish,
            "Afterwards build indexes and check constraints that a migration left for later, for however "
            "long it takes");
        command->add_flag("--json", migrate_.as_json, "Print status or plan as a JSON object");
        command->add_option(
            "--database-url", migrate_.database_url,
            "Address with the owner of the tables as user, if the configuration has another one; "
            "a password is taken from PGPASSWORD or ~/.pgpass");
        command->callback([this] {
            if (migrate_.as_json && migrate_.what != What::status && migrate_.what != What::plan)
                throw CLI::ValidationError("--json", "goes with --status or --plan");
            choose([this](const auto& settings) {
                migrate_.config_file = config_file_;
                return app::migrate(settings, migrate_);
            });
        });
    }

    void add_repair() {
        auto* command = parser_.add_subcommand(
            "repair", "Delete a stored block that does not belong to the chain and fetch the height again");
        command->add_option("--height", height_, "Height of the block")->required();
        command->callback(
            [this] { choose([this](const auto& settings) { return app::repair(settings, height_); }); });
    }

    void add_skip() {
        auto* command = parser_.add_subcommand("skip", "Give up heights that are missing, for good");
        command->footer(
            "Gives up every height up to the given one that is not stored, from the first wanted one on.\n"
            "`receiptd backfill` takes it back.");
        command->add_option("--to", skip_to_, "Last height, or \"head\"")->required();
        command->callback([this] {
            const auto last = height_or_head(skip_to_);
            choose([last](const auto& settings) { return app::skip(settings, last); });
        });
    }

    // nullopt: the head.
    static std::optional<base::Height> height_or_head(const std::string& text) {
        if (text == "head") return std::nullopt;
        base::Height height = 0;
        const auto* end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, height);
        if (read.ec != std::errc{} || read.ptr != end || height > base::kTopHeight)
            throw CLI::ValidationError("--to", "must be a height or \"head\", not \"" + text + "\"");
        return height;
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
            ->excludes(as_json)
            ->type_name("FILE");
        command->callback([this] {
            choose([this](const auto& settings) { return app::show_transaction(settings, tx_); });
        });
    }

    void add_submit() {
        auto* command = parser_.add_subcommand("submit", "Check, store, send and watch a signed transaction");
        command->footer(exit_codes_of("submit") + "With --wait also those of `receiptd watch --wait`.");
        command
            ->add_option("file", submit_.file,
                         "File with the signed transaction, base64 or Borsh bytes; - for standard input")
            ->required()
            ->type_name("FILE");
        command->add_option("--idempotency-key", submit_.idempotency_key,
                            "A second submission with the same key must be the same transaction");
        command->add_option("--metadata", submit_.metadata, kMetadata);
        command->add_flag("--wait", submit_.wait, "Print each new stage, until the transaction has ended");
        command->add_flag("--json", submit_.as_json,
                          "Print a JSON object, the same as POST /v1/transactions; with --wait, at the end, "
                          "the same as GET /v1/transactions/{hash}");
        command->callback([this] {
            choose([this](const auto& settings) { return submit_transaction(settings, submit_); });
        });
    }

    void add_watch() {
        auto* command = parser_.add_subcommand("watch", "Watch a transaction to its end");
        command->footer(exit_codes_of("watch"));
        command->add_option("hash", watch_.reference, "Transaction hash, or its address in an explorer")
            ->required();
        command->add_option("sender", watch_.sender_id,
                            "Account of the signer; needed if the address does not tell it");
        command->add_option("--metadata", watch_.metadata, kMetadata);
        command->add_flag("--wait", watch_.wait, "Print each new stage, until the transaction has ended");
        command->add_flag("--json", watch_.as_json,
                          "Print a JSON object, the same as POST /v1/watches; with --wait, at the end, the "
                          "same as GET /v1/transactions/{hash}");
        command->callback(
            [this] { choose([this](const auto& settings) { return watch_transaction(settings, watch_); }); });
    }

    void add_check_config() {
        auto* command =
            parser_.add_subcommand("check-config", "Check the configuration and report all problems");
        command->footer(exit_codes_of("check-config"));
        auto* online =
            command->add_flag("--online", check_config_.online,
                              "Also ask each host for its network and head, and the database for its "
                              "rights and settings");
        command
            ->add_flag("--test-endpoints", check_config_.test_endpoints,
                       "Also send each endpoint a test message")
            ->needs(online);
        command->add_flag("--json", check_config_.as_json, "Print a JSON object");
        command->callback([this] {
            choose_with_file([this](const auto& file) { return check_config(file, check_config_); });
        });
    }

    CLI::App parser_;
    std::string config_file_;
    std::optional<base::Height> until_;
    std::optional<base::Height> first_;
    std::optional<base::Height> last_;
    base::Height height_ = 0;
    std::string skip_to_;
    MigrateCommand migrate_;
    bool as_json_ = false;
    app::TxCommand tx_;
    SubmitCommand submit_;
    WatchCommand watch_;
    CheckConfig check_config_;
    std::function<int()> chosen_;
    bool reloads_ = false;  // the command reads its configuration again on SIGHUP
};

}  // namespace

int main(int argc, char** argv) {
    hold_back_hangup();
    open_standard_descriptors();
    keep_memory_private();
    give_back_freed_memory();
    const base::VisibleOnTerminal output(std::cout, STDOUT_FILENO);
    const base::VisibleOnTerminal errors(std::cerr, STDERR_FILENO);
    try {
        return finish_output(CommandLine().run(argc, argv));
    } catch (const std::exception& e) {
        log::error("receiptd ends", {{"because", e.what()}});
        return kFailed;
    }
}

}  // namespace receiptd::app
