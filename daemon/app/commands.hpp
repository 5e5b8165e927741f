// The commands of `receiptd`. Each returns the exit code of the process.
#pragma once

#include "base/height_set.hpp"
#include "chain/tree/lifecycle.hpp"
#include "config/load.hpp"
#include "config/settings.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::app {

inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;      // something broke; the last error line says what
inline constexpr int kUsage = 2;       // wrong arguments or configuration
inline constexpr int kIncomplete = 3;  // done, but heights or trees could not be had: they are listed
inline constexpr int kNotReady = 4;    // of `status`: no daemon answers, or it is not ready

// Exit codes for the end of a watched transaction. kOk means that it succeeded and nothing came back.
inline constexpr int kTxHandled =
    3;  // a failure was handled, a yield timed out, or tokens came back: not all that was asked for happened
inline constexpr int kTxLost = 5;       // it succeeded, and tokens were lost
inline constexpr int kTxUndecided = 6;  // receipts are missing that decide the verdict, or what came of it
inline constexpr int kTxFailed = 10;
inline constexpr int kTxCallbackFailed = 11;
inline constexpr int kTxReceiptFailed = 12;
inline constexpr int kTxRejected = 20;
inline constexpr int kTxForwardingFailed = 21;
inline constexpr int kTxDropped = 22;
inline constexpr int kTxExpired = 23;
inline constexpr int kTxUnknown = 24;
// The idempotency key of a submission belongs to another one; or it is known with another sender or other
// metadata.
inline constexpr int kTxConflict = 25;
// `tree`: nullopt if nothing is stored of it.
int exit_code(const chain::WatchState& end, const std::optional<chain::Judgement>& tree);

struct RunCommand {
    std::optional<base::Height> until;
    std::string config_file;  // read again on SIGHUP
};
int run(const config::Settings& settings, const RunCommand& command);
struct BackfillCommand {
    std::optional<base::HeightRange> range;  // nullopt: all stored heights; with accounts only
    std::vector<std::string> accounts;       // whose rows are fetched for stored heights
    bool replaces = false;  // stored heights are fetched again, and all of their rows replaced
    std::string config_file;
};
int backfill(const config::Settings& settings, const BackfillCommand& command);
struct ScopeCommand {
    std::string set;  // "all", "accounts", "headers"; empty: it is only shown
    bool as_json = false;
};
int scope(const config::Settings& settings, const ScopeCommand& command);
struct ForgetCommand {
    std::string account;
    bool rows = false;  // and deletes the trees that nobody else in scope touches
    bool plan = false;  // only counts them
    bool as_json = false;
};
// Follows an account no more.
int forget_account(const config::Settings& settings, const ForgetCommand& command);
// Prints the heights that the accounts (none: all that are followed) lack, or those that would be replaced,
// and what it would cost. Asks no host.
int plan_backfill(const config::Settings& settings, const BackfillCommand& command, bool as_json);
struct MigrateCommand {
    enum class What {
        migrate,
        finish,  // and what migrations leave to be done one partition at a time
        status,  // only tells what is applied
        plan,    // only tells what would be done
    };
    What what = What::migrate;
    bool as_json = false;      // status or plan
    std::string database_url;  // in place of the configuration's; empty: that one
    std::string config_file;   // for people; may be empty
};
int migrate(const config::Settings& settings, const MigrateCommand& command);
// Removes a stored block that is not of this chain; a running daemon fetches its height again.
int repair(const config::Settings& settings, base::Height height);
// Up to `last`; nullopt: up to the head.
int skip(const config::Settings& settings, std::optional<base::Height> last);
int skip(const config::Settings& settings, base::HeightRange range);
// Names of groups are made with the id of the database.
enum class DatabaseIdWish { keep, renew };
int database_id(const config::Settings& settings, DatabaseIdWish wish);
struct PartitionsCommand {
    std::string width;  // of those that are made from now on; empty: it stays as it is
    bool as_json = false;
};
int partitions(const config::Settings& settings, const PartitionsCommand& command);
// Judges stored trees again, by the rules of this program; nobody is told. Without bounds: those that earlier
// rules have judged.
int rejudge(const config::Settings& settings, std::optional<base::Height> from,
            std::optional<base::Height> to);
int status(const config::Settings& settings, bool as_json);
struct TxCommand {
    std::string reference;  // hash, receipt id or an explorer's address
    std::string sender_id;  // empty: as the address or the database has it
    std::string svg_file;   // where its picture goes; "-": standard output; empty: no picture
    bool as_json = false;
};
int show_transaction(const config::Settings& settings, const TxCommand& command);
struct SubmitCommand {
    std::string file;  // base64 or Borsh; "-": standard input
    std::string idempotency_key;
    std::string metadata;  // JSON; empty: none
    bool wait = false;     // as for watch_transaction
    bool as_json = false;
};
// Hands a signed transaction in; refused is kTxRejected, before it is stored.
int submit_transaction(const config::Settings& settings, const SubmitCommand& command);
struct PlanCommand {
    unsigned blocks = 48;  // heights to sample
    unsigned trees = 300;  // transactions to sample
    std::uint64_t disk_bytes = 0;
    bool as_json = false;
};
// What following would cost with each source that is configured; asks the hosts.
int plan(const config::Settings& settings, const PlanCommand& command);
struct WatchCommand {
    std::string reference;  // hash or an explorer's address
    std::string sender_id;  // empty: as the address has it
    std::string metadata;   // JSON; empty: none
    bool wait = false;      // prints its stages as they come, until it has ended
    bool as_json = false;   // then it prints one object: what was stored, or at the end all that is known
};
int watch_transaction(const config::Settings& settings, const WatchCommand& command);
// As it is stored; nullopt: it is refused, and the reason printed.
std::optional<std::string> metadata_of(const std::string& given);
// Empty texts choose any.
struct AlertsChosen {
    std::optional<std::int64_t> group_id;
    std::string state;
    std::string endpoint;
    std::string rule;   // its name
    std::string since;  // ISO 8601, of when the alert was made
    std::string until;  // the same, not included
};
struct AlertsList {
    AlertsChosen chosen;
    std::string cursor;  // as an earlier list told it; empty: from the newest on
    unsigned limit = 50;
    bool as_json = false;
};
int list_alerts(const config::Settings& settings, const AlertsList& command);
struct AlertsShow {
    std::string alert_id;
    bool as_json = false;
};
// One alert with its cause, its body and its deliveries.
int show_alert(const config::Settings& settings, const AlertsShow& command);
struct AlertsResend {
    std::vector<std::string> alert_ids;  // empty: those that are chosen
    AlertsChosen chosen;                 // no endpoint: all that are configured
    bool yes = false;                    // those that have arrived, too
    bool dry_run = false;                // only counts them
};
int resend_alerts(const config::Settings& settings, const AlertsResend& command);
// The endpoints of all daemons on the database.
int list_endpoints(const config::Settings& settings, bool as_json);
struct EndpointTest {
    std::string name;
    bool as_json = false;
};
// Sends a configured endpoint one message of type `test`, and prints its answer. Asks no database.
int test_endpoint(const config::Settings& settings, const EndpointTest& command);
struct EndpointSwitch {
    enum class To { on, paused, resumed };
    std::string name;
    To to = To::on;
};
// In the database, for all daemons that serve it.
int switch_endpoint(const config::Settings& settings, const EndpointSwitch& command);
struct SilenceAdd {
    std::vector<std::pair<std::string, std::string>> patterns;  // by name (storm/silence.hpp)
    std::string lasts;                                          // "2h"; empty: ends_at
    std::string starts_at, ends_at;                             // ISO 8601; empty start: now
    std::string reason;
    std::string author;
};
int list_silences(const config::Settings& settings, bool all, bool as_json);
int add_silence(const config::Settings& settings, const SilenceAdd& command);
int end_silence(const config::Settings& settings, std::int64_t silence_id, const std::string& by);
struct VerifyWebhook {
    std::string secret_env;            // the name of an environment variable; or
    std::string secret_file;           // a path
    std::vector<std::string> headers;  // "webhook-id: …"
    std::string headers_file;          // a header a line; empty: there is none
    bool any_age = false;
    bool as_json = false;
};
// The body of a request on standard input: prints its type, or why it is not one that receiptd has sent.
int verify_webhook(const VerifyWebhook& command);
// The alert rules and account lists of all daemons on the database.
int list_rules(const config::Settings& settings, bool as_json);
int list_lists(const config::Settings& settings, bool as_json);
struct RulesTest {
    base::Height from = 0;
    base::Height to = 0;
    std::string rule;  // that one alone; empty: all of the configuration
    bool as_json = false;
};
// Counts the alerts that the configuration's rules would have made of stored history. Delivers nothing.
int test_rules(const config::Settings& settings, const RulesTest& command);
struct ListChange {
    std::string list;
    std::string account_id;
    bool is_listed = true;
};
int change_list(const config::Settings& settings, const ListChange& command);
struct CheckConfig {
    bool online = false;          // asks the hosts and the database, too
    bool test_endpoints = false;  // and sends each endpoint a test message
    bool as_json = false;
};
int check_config(const std::string& config_file, const CheckConfig& command);
// Reports all problems of the alert rules of a file, which needs nothing else. Reads no secrets.
int check_rules(const std::string& file, bool as_json);

// Before a command that writes rows. Throws StorageError with the command to run where the database's user
// may not change the schema; `config_file` may be empty. nullopt: it tries for as long as a migration does.
void update_schema(const config::Settings& settings, const std::string& config_file,
                   std::optional<std::chrono::milliseconds> patience = std::nullopt);

// Settings of a good file; nullopt after printing every problem of a bad one. `warns`: says what is odd in a
// good one, too.
std::optional<config::Settings> load_settings(const std::string& config_file, bool warns);
// A problem of a configuration that a running daemon reads again.
void log_problem(const config::Problem& problem);

}  // namespace receiptd::app
