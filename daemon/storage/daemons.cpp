#include "storage/daemons.hpp"

#include "storage/errors.hpp"
#include "storage/locks.hpp"
#include "storage/schema_state.hpp"

#include <algorithm>

namespace receiptd::storage {
namespace {

// Rows are kept as long.
const std::string kRemembered = "seen_at > now() - interval '1 day'";

std::string list_of(const std::vector<std::string>& accounts) {
    std::string list;
    for (const auto& account : accounts) list += (list.empty() ? "" : ", ") + account;
    return list;
}

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < list.size();) {
        const auto end = std::min(list.find(',', at), list.size());
        parts.push_back(list.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

void write_row(pqxx::transaction_base& tx, const std::string& process, const DaemonSettings& settings) {
    const auto keep = settings.keep ? std::to_string(settings.keep->count()) : std::string();
    shim::query(tx,
                "INSERT INTO daemons (id, place, source, keep_hours, accounts, tells_delegate_duplicates) "
                "VALUES ($1, $2, $3, nullif($4, '')::int, $5::text[], $6) "
                "ON CONFLICT (id) DO UPDATE SET seen_at = now(), keep_hours = excluded.keep_hours, "
                "tells_delegate_duplicates = excluded.tells_delegate_duplicates",
                process, settings.place, settings.source, keep,
                text_array(settings.accounts.value_or(std::vector<std::string>())),
                settings.tells_delegate_duplicates);
}

void take_accounts(pqxx::transaction_base& tx, const std::vector<std::string>& accounts) {
    // Stored heights lack an account that comes now.
    const auto first = tx.exec("SELECT count(*) = 0 FROM followed_accounts")[0][0].as<bool>();
    shim::query(tx, "DELETE FROM followed_accounts WHERE account_id <> ALL ($1::text[])",
                text_array(accounts));
    shim::query(
        tx,
        "INSERT INTO followed_accounts (account_id, since_height) SELECT DISTINCT a, "
        "CASE WHEN $2 THEN 0 ELSE coalesce((SELECT max(upper(range_merge(heights))) FROM coverage), 0) "
        "END FROM unnest($1::text[]) AS a ON CONFLICT DO NOTHING",
        text_array(accounts), first);
}

// A glob as SQL's LIKE has it.
std::string like(const std::string& glob) {
    if (glob.empty()) return "%";
    std::string pattern;
    for (const char c : glob) {
        if (c == '%' || c == '_' || c == '\\') pattern += '\\';
        pattern += c == '*' ? '%' : c == '?' ? '_' : c;
    }
    return pattern;
}

constexpr const char* kDeclare =
    "INSERT INTO expected_failures (name, contract_like, method_like, error_class_like, daemon) "
    "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name) ";

void declare(pqxx::transaction_base& tx, const std::string& process,
             const std::vector<ExpectedFailure>& expected, const std::string& if_it_is_there) {
    for (const auto& each : expected)
        shim::query(tx, kDeclare + if_it_is_there, each.name, like(each.contract), like(each.method),
                    like(each.error_class), process);
}

// A daemon that lives keeps its own; of two of one name the later counts.
void declare_expected(pqxx::transaction_base& tx, const std::string& process,
                      const std::vector<ExpectedFailure>& expected) {
    shim::query(tx,
                "DELETE FROM expected_failures WHERE daemon = $1 OR daemon NOT IN (SELECT id FROM daemons "
                "WHERE " +
                    kAlive + ")",
                process);
    declare(tx, process, expected,
            "DO UPDATE SET contract_like = excluded.contract_like, method_like = excluded.method_like, "
            "error_class_like = excluded.error_class_like, daemon = excluded.daemon");
}

void agree_on_accounts(pqxx::transaction_base& tx, const std::string& process,
                       std::vector<std::string> accounts) {
    std::sort(accounts.begin(), accounts.end());
    accounts.erase(std::unique(accounts.begin(), accounts.end()), accounts.end());
    std::vector<std::string> followed;
    for (const auto& account : followed_accounts(tx)) followed.push_back(account.account_id);
    if (followed == accounts) return;
    const auto others = living_daemons(tx, process);
    if (!others.empty() && !followed.empty())
        throw StorageError("another daemon (" + others.front().settings.place + ") follows the accounts " +
                           list_of(followed) + ", but follow.accounts is " + list_of(accounts) +
                           ": stop it first, or follow its accounts with `receiptd run --join`");
    take_accounts(tx, accounts);
}

}  // namespace

std::vector<Contested> join_daemons(pqxx::transaction_base& tx, const std::string& process,
                                    const DaemonSettings& settings) {
    take_lock(tx, "daemons");
    tx.exec("DELETE FROM daemons WHERE NOT " + kRemembered);
    if (settings.accounts) agree_on_accounts(tx, process, *settings.accounts);
    declare_expected(tx, process, settings.expected);
    write_row(tx, process, settings);
    return declare_rules(tx, process, settings.place, settings.alerts);
}

Joined keep_alive(pqxx::transaction_base& tx, const std::string& process, const DaemonSettings& settings) {
    write_row(tx, process, settings);
    // Another one of the same name may have gone with its daemon.
    declare(tx, process, settings.expected, "DO NOTHING");
    return {living_daemons(tx, process), overruled(tx, process, settings.alerts), newer_schema(tx), {}};
}

void leave_daemons(pqxx::transaction_base& tx, const std::string& process) {
    shim::query(tx,
                "UPDATE daemons SET seen_at = least(seen_at, now() - interval '10 seconds') WHERE id = $1",
                process);
}

std::optional<std::chrono::hours> longest_keep(pqxx::transaction_base& tx, const std::string& process,
                                               std::optional<std::chrono::hours> keep) {
    const auto others = shim::query(tx,
                                    "SELECT coalesce(bool_or(keep_hours IS NULL), false), "
                                    "coalesce(max(keep_hours), 0) FROM daemons WHERE id::text <> $1 AND " +
                                        kRemembered,
                                    process)[0];
    if (!keep || others[0].as<bool>()) return std::nullopt;
    return std::max(*keep, std::chrono::hours(others[1].as<std::int64_t>()));
}

std::vector<OtherDaemon> living_daemons(pqxx::transaction_base& tx, const std::string& but) {
    const auto rows = shim::query(tx,
                                  "SELECT place, source, keep_hours, array_to_string(accounts, ','), "
                                  "(extract(epoch FROM now() - seen_at) * 1000)::bigint FROM daemons WHERE " +
                                      kAlive + " AND id::text <> $1 ORDER BY place, id",
                                  but);
    std::vector<OtherDaemon> found;
    for (const auto& row : rows) {
        OtherDaemon other;
        other.settings.place = row[0].as<std::string>();
        other.settings.source = row[1].as<std::string>();
        if (!row[2].is_null()) other.settings.keep = std::chrono::hours(row[2].as<std::int64_t>());
        other.settings.accounts = split(row[3].as<std::string>());
        other.seen_ago = std::chrono::milliseconds(row[4].as<std::int64_t>());
        found.push_back(std::move(other));
    }
    return found;
}

std::vector<FollowedAccount> followed_accounts(pqxx::transaction_base& tx) {
    std::vector<FollowedAccount> found;
    for (const auto& row : tx.exec("SELECT account_id, since_height FROM followed_accounts ORDER BY 1"))
        found.push_back({row[0].as<std::string>(), row[1].as<base::Height>()});
    return found;
}

}  // namespace receiptd::storage
