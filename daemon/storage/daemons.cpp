#include "storage/daemons.hpp"

#include "storage/errors.hpp"
#include "storage/locks.hpp"
#include "storage/schema_state.hpp"

#include <algorithm>

namespace receiptd::storage {
namespace {

// Rows are kept as long.
const std::string kRemembered = "seen_at > now() - interval '1 day'";

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < list.size();) {
        const auto end = std::min(list.find(',', at), list.size());
        parts.push_back(list.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

// Parameters and columns of SQL: NULL is for ever.
std::string hours_or_empty(const std::optional<std::chrono::hours>& keep) {
    return keep ? std::to_string(keep->count()) : std::string();
}
std::optional<std::chrono::hours> hours_of(const pqxx::field& field) {
    if (field.is_null()) return std::nullopt;
    return std::chrono::hours(field.as<std::int64_t>());
}

void write_row(pqxx::transaction_base& tx, const std::string& process, const DaemonSettings& settings) {
    shim::query(tx,
                "INSERT INTO daemons (id, place, source, keep_receipts_hours, keep_results_hours, accounts, "
                "tells_delegate_duplicates) "
                "VALUES ($1, $2, $3, nullif($4, '')::int, nullif($5, '')::int, $6::text[], $7) "
                "ON CONFLICT (id) DO UPDATE SET seen_at = now(), "
                "keep_receipts_hours = excluded.keep_receipts_hours, "
                "keep_results_hours = excluded.keep_results_hours, "
                "tells_delegate_duplicates = excluded.tells_delegate_duplicates",
                process, settings.place, settings.source, hours_or_empty(settings.keep.receipts),
                hours_or_empty(settings.keep.results),
                text_array(settings.accounts.value_or(std::vector<std::string>())),
                settings.tells_delegate_duplicates);
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

}  // namespace

std::vector<Contested> join_daemons(pqxx::transaction_base& tx, const std::string& process,
                                    const DaemonSettings& settings) {
    take_lock(tx, "daemons");
    tx.exec("DELETE FROM daemons WHERE NOT " + kRemembered);
    if (settings.accounts) follow_accounts(tx, *settings.accounts);
    declare_expected(tx, process, settings.expected);
    write_row(tx, process, settings);
    return declare_rules(tx, process, settings.place, settings.alerts);
}

Joined keep_alive(pqxx::transaction_base& tx, const std::string& process, const DaemonSettings& settings) {
    write_row(tx, process, settings);
    // Another one of the same name may have gone with its daemon.
    declare(tx, process, settings.expected, "DO NOTHING");
    return {living_daemons(tx, process),
            overruled(tx, process, settings.alerts),
            newer_schema(tx),
            {},
            scope_serial(tx)};
}

void leave_daemons(pqxx::transaction_base& tx, const std::string& process) {
    shim::query(tx,
                "UPDATE daemons SET seen_at = least(seen_at, now() - interval '10 seconds') WHERE id = $1",
                process);
}

Keep longest_keep(pqxx::transaction_base& tx, const std::string& process, Keep keep) {
    const auto others = shim::query(tx,
                                    "SELECT keep_receipts_hours, keep_results_hours FROM daemons "
                                    "WHERE id::text <> $1 AND " +
                                        kRemembered,
                                    process);
    const auto lengthen = [](std::optional<std::chrono::hours>& own, const pqxx::field& other) {
        const auto hours = hours_of(other);
        if (own && hours)
            own = std::max(*own, *hours);
        else
            own.reset();
    };
    for (const auto& row : others) {
        lengthen(keep.receipts, row[0]);
        lengthen(keep.results, row[1]);
    }
    return keep;
}

std::vector<OtherDaemon> living_daemons(pqxx::transaction_base& tx, const std::string& but) {
    const auto rows = shim::query(tx,
                                  "SELECT place, source, keep_receipts_hours, keep_results_hours, "
                                  "array_to_string(accounts, ','), (extract(epoch FROM now() - seen_at) * "
                                  "1000)::bigint FROM daemons WHERE " +
                                      kAlive + " AND id::text <> $1 ORDER BY place, id",
                                  but);
    std::vector<OtherDaemon> found;
    for (const auto& row : rows) {
        OtherDaemon other;
        other.settings.place = row[0].as<std::string>();
        other.settings.source = row[1].as<std::string>();
        other.settings.keep = {hours_of(row[2]), hours_of(row[3])};
        other.settings.accounts = split(row[4].as<std::string>());
        other.seen_ago = std::chrono::milliseconds(row[5].as<std::int64_t>());
        found.push_back(std::move(other));
    }
    return found;
}

}  // namespace receiptd::storage
