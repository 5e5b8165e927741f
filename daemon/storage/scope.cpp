#include "storage/scope.hpp"

#include "storage/daemons.hpp"
#include "storage/errors.hpp"
#include "storage/locks.hpp"

#include <utility>

namespace receiptd::storage {
namespace {

// Heights that were whole for everything are kept, for the day on which everything is wanted again; an
// account is whole where everything is.
void leave_all(pqxx::transaction_base& tx) {
    tx.exec(
        "UPDATE followed_accounts f SET not_whole = f.not_whole * coalesce((SELECT e.not_whole "
        "  FROM followed_accounts e WHERE e.account_id = '*'), '{}') WHERE f.account_id <> '*'");
    tx.exec(
        "INSERT INTO followed_accounts AS f (account_id, since_height, was_whole) "
        "SELECT '*', 0, heights FROM coverage ON CONFLICT (account_id) DO UPDATE "
        "SET was_whole = excluded.was_whole - f.not_whole, not_whole = '{}'");
}

// A height has everything or not: no tree goes on out of sight.
void take_all(pqxx::transaction_base& tx) {
    tx.exec(
        "INSERT INTO followed_accounts AS f (account_id, since_height, added, not_whole) "
        "SELECT '*', coalesce(upper(range_merge(heights)), 0), scope_serial + 1, heights FROM coverage "
        "ON CONFLICT (account_id) DO UPDATE SET since_height = excluded.since_height, added = "
        "excluded.added, "
        "not_whole = excluded.not_whole - coalesce(f.was_whole, '{}'), was_whole = NULL");
}

}  // namespace

bool set_scope(pqxx::transaction_base& tx, const std::string& scope) {
    take_lock(tx, "daemons");
    const auto identity = tx.exec("SELECT scope FROM chain_identity FOR UPDATE");
    if (identity.empty()) throw StorageError("nothing is stored yet: follow.scope says what will be");
    const auto before = identity[0][0].as<std::string>();
    if (before == scope) return false;
    const auto daemons = living_daemons(tx);
    if (!daemons.empty())
        throw StorageError("a daemon runs (" + daemons.front().settings.place +
                           "): stop all daemons on this database first");
    tx.exec("SELECT FROM coverage FOR UPDATE");
    if (before == "all") leave_all(tx);
    if (scope == "headers") tx.exec("DELETE FROM followed_accounts WHERE account_id <> '*'");
    if (scope == "all") take_all(tx);
    shim::query(tx, "UPDATE chain_identity SET scope = $1", scope);
    shim::query(tx, "UPDATE coverage SET scope = $1, scope_serial = scope_serial + 1", scope);
    return true;
}

base::Task<bool> PgScope::set(std::string scope) {
    return database_.pool.following.transaction(
        [scope = std::move(scope)](pqxx::work& tx) { return set_scope(tx, scope); });
}

}  // namespace receiptd::storage
