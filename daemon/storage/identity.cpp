// Which chain a database holds.
#include "storage/sql.hpp"

namespace receiptd::storage::sql {
namespace {

void must_match(const std::string& what, const std::string& stored, const std::string& configured,
                const std::string& key, const std::string& cure) {
    if (stored == configured) return;
    throw StorageError("this database holds " + what + " \"" + stored + "\", but " + key + " is \"" +
                       configured + "\": " + cure);
}

std::optional<ChainIdentity> read_identity(pqxx::transaction_base& tx) {
    const auto rows = tx.exec("SELECT network, scope, partition_width FROM chain_identity");
    if (rows.empty()) return std::nullopt;
    return ChainIdentity{rows[0][0].as<std::string>(), rows[0][1].as<std::string>(),
                         rows[0][2].as<std::string>()};
}

}  // namespace

void check_identity(pqxx::connection& connection, const ChainIdentity& configured) {
    pqxx::work tx(connection);
    auto stored = read_identity(tx);
    if (!stored) {
        shim::query(tx,
                    "INSERT INTO chain_identity (network, scope, partition_width, created_by) "
                    "VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
                    configured.network, configured.scope, configured.partition_width,
                    std::string("receiptd " RECEIPTD_VERSION));
        stored = read_identity(tx);
    }
    must_match("the network", stored->network, configured.network, "chain.network",
               "set it back, or use another database for this network");
    must_match("the scope", stored->scope, configured.scope, "follow.scope",
               "set it back, or use another database for this scope");
    must_match("partitions of one", stored->partition_width, configured.partition_width,
               "retention.partition",
               "set it back; the width of partitions is fixed when a database is first used");
    shim::query(tx, "INSERT INTO coverage (scope) VALUES ($1) ON CONFLICT DO NOTHING", configured.scope);
    tx.commit();
}

std::optional<ChainIdentity> stored_identity(pqxx::connection& connection) {
    pqxx::work tx(connection);
    return read_identity(tx);
}

}  // namespace receiptd::storage::sql
