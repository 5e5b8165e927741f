#include "storage/pg_alert_rule_store.hpp"

#include "storage/news.hpp"
#include "storage/sql_time.hpp"

#include <utility>

namespace receiptd::storage {

base::Task<std::vector<RuleRow>> PgAlertRuleStore::rules() {
    return lane_.transaction([](pqxx::work& tx) {
        const auto rows =
            tx.exec("SELECT name, version, definition, place, " + iso("loaded_at") +
                    ", ARRAY (SELECT e.name FROM endpoint_rules t JOIN endpoints e ON e.name = t.endpoint "
                    "WHERE t.rule = r.name AND " +
                    kServed + " ORDER BY e.name) FROM alert_rules r ORDER BY name");
        std::vector<RuleRow> found;
        for (const auto& row : rows)
            found.push_back({row[0].as<std::string>(), row[1].as<int>(), row[2].as<std::string>(),
                             row[3].as<std::string>(), row[4].as<std::string>(), ids_of(row[5])});
        return found;
    });
}

base::Task<std::vector<ListRow>> PgAlertRuleStore::lists() {
    return lane_.transaction([](pqxx::work& tx) {
        const auto rows = tx.exec("SELECT l.name, l.from_file, l.place, " + iso("l.loaded_at") +
                                  ", (SELECT count(*) FROM listed_accounts a WHERE a.list = l.name "
                                  "AND NOT a.removed) FROM account_lists l ORDER BY l.name");
        std::vector<ListRow> found;
        for (const auto& row : rows)
            found.push_back({row[0].as<std::string>(), row[1].as<bool>(), row[2].as<std::string>(),
                             row[3].as<std::string>(), row[4].as<std::uint64_t>()});
        return found;
    });
}

base::Task<std::optional<std::vector<std::string>>> PgAlertRuleStore::accounts(std::string list,
                                                                               std::string after,
                                                                               unsigned limit) {
    return lane_.transaction([list = std::move(list), after = std::move(after),
                              limit](pqxx::work& tx) -> std::optional<std::vector<std::string>> {
        if (shim::query(tx, "SELECT FROM account_lists WHERE name = $1", list).empty()) return std::nullopt;
        return texts_of(shim::query(tx,
                                    "SELECT account_id FROM listed_accounts WHERE list = $1 "
                                    "AND NOT removed AND account_id > $2 ORDER BY account_id LIMIT $3",
                                    list, after, static_cast<std::int64_t>(limit)));
    });
}

base::Task<Listing> PgAlertRuleStore::set_listed(std::string list, std::string account_id, bool is_listed) {
    return lane_.transaction(
        [list = std::move(list), account_id = std::move(account_id), is_listed](pqxx::work& tx) {
            return storage::set_listed(tx, list, account_id, is_listed);
        });
}

}  // namespace receiptd::storage
