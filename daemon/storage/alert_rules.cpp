#include "storage/alert_rules.hpp"

#include "storage/daemons.hpp"
#include "storage/news.hpp"

namespace receiptd::storage {
namespace {

// Later changes wait until this transaction ends.
std::int64_t count_change(pqxx::transaction_base& tx, const std::string& of) {
    const auto rows = tx.exec("UPDATE alert_rule_state SET " + of + " = " + of + " + 1 RETURNING " + of);
    return rows[0][0].as<std::int64_t>();
}

struct RuleColumns {
    explicit RuleColumns(const std::vector<DeclaredRule>& rules) {
        for (const auto& rule : rules) {
            names.push_back(rule.name);
            definitions.push_back(rule.definition);
        }
    }
    std::vector<std::string> names, definitions;
};

std::vector<Contested> contested(const std::string& what, const pqxx::result& rows) {
    std::vector<Contested> found;
    for (const auto& row : rows) found.push_back({what, row[0].as<std::string>(), row[1].as<std::string>()});
    return found;
}

// Rows of alert_rules that say otherwise, and their daemon lives.
pqxx::result otherwise(pqxx::transaction_base& tx, const std::string& process, const RuleColumns& mine) {
    return shim::query(tx,
                       "SELECT r.name, r.place FROM unnest($1::text[], $2::text[]) AS mine (name, "
                       "definition) JOIN alert_rules r USING (name) "
                       "WHERE r.definition <> mine.definition AND r.daemon <> $3::uuid "
                       "AND r.daemon IN (SELECT id FROM daemons WHERE " +
                           kAlive + ") ORDER BY r.name",
                       text_array(mine.names), text_array(mine.definitions), process);
}

void write_rules(pqxx::transaction_base& tx, const std::string& process, const std::string& place,
                 const RuleColumns& mine) {
    const auto changed = shim::query(
        tx,
        "WITH changed AS (SELECT mine.name, mine.definition, "
        "    1 + coalesce((SELECT max(version) FROM alert_rule_versions v WHERE v.name = mine.name), 0) AS "
        "version "
        "  FROM unnest($1::text[], $2::text[]) AS mine (name, definition) "
        "  WHERE NOT EXISTS (SELECT FROM alert_rules r WHERE r.name = mine.name "
        "    AND r.definition = mine.definition)), "
        "kept AS (INSERT INTO alert_rule_versions (name, version, definition, place) "
        "  SELECT name, version, definition, $4 FROM changed) "
        "INSERT INTO alert_rules (name, version, definition, daemon, place) "
        "SELECT name, version, definition, $3::uuid, $4 FROM changed "
        "ON CONFLICT (name) DO UPDATE SET version = excluded.version, definition = excluded.definition, "
        "  daemon = excluded.daemon, place = excluded.place, loaded_at = now()",
        text_array(mine.names), text_array(mine.definitions), process, place);
    if (changed.affected_rows() > 0) count_change(tx, "rules");
}

// True: it holds other accounts than before.
bool write_accounts(pqxx::transaction_base& tx, const std::string& list,
                    const std::vector<std::string>& accounts, std::int64_t change) {
    const auto ids = text_array(accounts);
    const auto added = shim::query(tx,
                                   "INSERT INTO listed_accounts (list, account_id, changed) "
                                   "SELECT DISTINCT $1, id, $3::bigint FROM unnest($2::text[]) AS id "
                                   "ON CONFLICT (list, account_id) DO UPDATE SET removed = false, "
                                   "changed = excluded.changed WHERE listed_accounts.removed",
                                   list, ids, change);
    const auto removed =
        shim::query(tx,
                    "WITH mine AS MATERIALIZED (SELECT unnest($2::text[]) AS id) "
                    "UPDATE listed_accounts SET removed = true, changed = $3 WHERE list = $1 AND NOT removed "
                    "AND NOT EXISTS (SELECT FROM mine WHERE id = account_id)",
                    list, ids, change);
    return added.affected_rows() + removed.affected_rows() > 0;
}

std::vector<Contested> write_list(pqxx::transaction_base& tx, const std::string& process,
                                  const std::string& place, const DeclaredList& list, std::int64_t change) {
    const auto before = shim::query(tx,
                                    "SELECT name, place, from_file FROM account_lists WHERE name = $1 AND "
                                    "daemon <> $2::uuid AND daemon IN (SELECT id FROM daemons WHERE " +
                                        kAlive + ")",
                                    list.name, process);
    shim::query(tx,
                "INSERT INTO account_lists (name, from_file, daemon, place) VALUES ($1, $2, $3, $4) "
                "ON CONFLICT (name) DO UPDATE SET from_file = excluded.from_file, daemon = excluded.daemon, "
                "place = excluded.place, loaded_at = now()",
                list.name, list.accounts.has_value(), process, place);
    bool differs = !before.empty() && before[0][2].as<bool>() != list.accounts.has_value();
    if (list.accounts) differs = write_accounts(tx, list.name, *list.accounts, change) || differs;
    return differs ? contested("list", before) : std::vector<Contested>();
}

}  // namespace

std::vector<Contested> declare_rules(pqxx::transaction_base& tx, const std::string& process,
                                     const std::string& place, const Declaration& declared) {
    tx.exec("SELECT FROM alert_rule_state FOR UPDATE");
    const RuleColumns mine(declared.rules);
    auto found = contested("rule", otherwise(tx, process, mine));
    write_rules(tx, process, place, mine);
    if (declared.lists.empty()) return found;
    const auto change = count_change(tx, "lists");
    for (const auto& list : declared.lists)
        for (auto& other : write_list(tx, process, place, list, change)) found.push_back(std::move(other));
    return found;
}

std::vector<Contested> overruled(pqxx::transaction_base& tx, const std::string& process,
                                 const Declaration& declared) {
    return contested("rule", otherwise(tx, process, RuleColumns(declared.rules)));
}

void forget_unused_rules(pqxx::transaction_base& tx) {
    const auto unused =
        tx.exec("DELETE FROM alert_rules r WHERE daemon NOT IN (SELECT id FROM daemons WHERE " + kAlive +
                ") AND NOT EXISTS (SELECT FROM endpoint_rules t JOIN endpoints e ON e.name = t.endpoint "
                "WHERE t.rule = r.name AND " +
                kServed + ")");
    if (unused.affected_rows() > 0) count_change(tx, "rules");
}

std::string refusal(Listing listing, const std::string& list) {
    switch (listing) {
        case Listing::no_such_list:
            return "there is no list \"" + list + "\": a [[list]] of a configuration makes one";
        case Listing::kept_in_a_file:
            return "the accounts of \"" + list + "\" stand in a file: change that, and reload";
        case Listing::full:
            return "\"" + list + "\" is full: it has " + std::to_string(kMostListed) + " accounts";
        case Listing::changed:
        case Listing::as_it_was: break;
    }
    return {};
}

Listing set_listed(pqxx::transaction_base& tx, const std::string& list, const std::string& account_id,
                   bool is_listed) {
    const auto change = count_change(tx, "lists");
    const auto known = shim::query(tx,
                                   "SELECT from_file, (SELECT count(*) FROM listed_accounts a "
                                   "WHERE a.list = l.name AND NOT a.removed) FROM account_lists l "
                                   "WHERE name = $1",
                                   list);
    if (known.empty()) return Listing::no_such_list;
    if (known[0][0].as<bool>()) return Listing::kept_in_a_file;
    if (!is_listed) {
        const auto removed = shim::query(tx,
                                         "UPDATE listed_accounts SET removed = true, changed = $3 "
                                         "WHERE list = $1 AND account_id = $2 AND NOT removed",
                                         list, account_id, change);
        return removed.affected_rows() > 0 ? Listing::changed : Listing::as_it_was;
    }
    const bool is_there = !shim::query(tx,
                                       "SELECT FROM listed_accounts WHERE list = $1 AND account_id = $2 "
                                       "AND NOT removed",
                                       list, account_id)
                               .empty();
    if (is_there) return Listing::as_it_was;
    if (known[0][1].as<int>() >= kMostListed) return Listing::full;
    shim::query(tx,
                "INSERT INTO listed_accounts (list, account_id, changed) VALUES ($1, $2, $3) "
                "ON CONFLICT (list, account_id) DO UPDATE SET removed = false, changed = excluded.changed",
                list, account_id, change);
    return Listing::changed;
}

}  // namespace receiptd::storage
