#include "storage/unfinished.hpp"

#include "base/log.hpp"
#include "storage/embedded_sql.hpp"
#include "storage/fault.hpp"
#include "storage/sql_names.hpp"

#include <optional>
#include <utility>

namespace receiptd::storage {
namespace {

// A build waits for transactions that began before it, and nobody waits behind it.
constexpr const char* kPatient = "SET lock_timeout = '10min'; SET statement_timeout = 0";
// Readers of the partition wait behind an index that is attached.
constexpr const char* kBrief = "SET lock_timeout = '500ms'";

// A constraint of one table, or the part of an index on one partition. An index of that name which is not
// valid was left by somebody who was killed.
constexpr const char* kPieces =
    "WITH ours AS (SELECT oid, relkind FROM pg_class "
    "    WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) "
    "      AND relkind IN ('r', 'p') AND relname = ANY ($1::text[])), "
    "tables AS (SELECT oid AS root, oid AS part, relkind = 'r' AS is_leaf FROM ours "
    "  UNION ALL SELECT inhparent, inhrelid, true FROM pg_inherits JOIN ours ON oid = inhparent), "
    "pieces AS (SELECT t.root, t.part, t.is_leaf, k.conname AS name, NULL AS removes, "
    "    format('ALTER TABLE %s VALIDATE CONSTRAINT %I', t.part::regclass, k.conname) AS makes, NULL AS "
    "attaches "
    "    FROM tables t JOIN pg_constraint k ON k.conrelid = t.part AND k.contype = 'c' AND NOT "
    "k.convalidated "
    "  UNION ALL SELECT t.root, t.part, t.is_leaf, x.relname, "
    "    CASE WHEN NOT made.indisvalid THEN format('DROP INDEX CONCURRENTLY IF EXISTS %s', "
    "made.indexrelid::regclass) "
    "    END, "
    "    CASE WHEN made.indisvalid THEN NULL ELSE format('CREATE %s CONCURRENTLY %I ON %s%s', "
    "      CASE WHEN i.indisunique THEN 'UNIQUE INDEX' ELSE 'INDEX' END, part_of.name, t.part::regclass, "
    "      substr(pg_get_indexdef(x.oid), strpos(pg_get_indexdef(x.oid), ' USING '))) END, "
    "    format('ALTER INDEX %s ATTACH PARTITION %I.%I', x.oid::regclass, p.relnamespace::regnamespace, "
    "part_of.name) "
    "    FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid AND x.relkind = 'I' "
    "    JOIN tables t ON t.root = i.indrelid AND t.is_leaf "
    "    JOIN pg_class p ON p.oid = t.part "
    "    CROSS JOIN LATERAL (SELECT left(p.relname || '_' || replace(x.relname, t.root::regclass::text || "
    "'_', ''), "
    "      63) AS name) part_of "
    "    LEFT JOIN pg_class named ON named.relnamespace = p.relnamespace AND named.relname = part_of.name "
    "    LEFT JOIN pg_index made ON made.indexrelid = named.oid "
    "    WHERE NOT i.indisvalid AND NOT EXISTS (SELECT FROM pg_inherits h JOIN pg_index c ON c.indexrelid = "
    "h.inhrelid "
    "      WHERE h.inhparent = x.oid AND c.indrelid = t.part) "
    "      AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index b "  // somebody is at it
    "        WHERE b.datname = current_database() AND b.relid = t.part)) "
    "SELECT root::regclass::text, name, removes, makes, attaches, "
    "  CASE WHEN is_leaf AND makes IS NOT NULL THEN pg_table_size(part) ELSE 0 END AS bytes, is_leaf FROM "
    "pieces "
    "ORDER BY root, name, is_leaf DESC, part DESC";  // the newest first; a constraint of all when its parts
                                                     // have it

struct Piece {
    std::string table, name;
    std::string removes, makes, attaches;  // statements; empty: there is no need
    std::uint64_t bytes = 0;
    bool is_leaf = false;
};

std::vector<std::string> our_tables() {
    std::vector<std::string> all;
    for (const auto& file : migration_files()) {
        const auto names = names_after("CREATE TABLE ", file.text);
        all.insert(all.end(), names.begin(), names.end());
    }
    return all;
}

std::vector<Piece> pieces_left(pqxx::transaction_base& tx) {
    const auto text = [](const pqxx::field& field) {
        return shim::optional_of<std::string>(field).value_or(std::string());
    };
    std::vector<Piece> pieces;
    for (const auto& row : shim::query(tx, kPieces, text_array(our_tables())))
        pieces.push_back({text(row[0]), text(row[1]), text(row[2]), text(row[3]), text(row[4]),
                          row[5].as<std::uint64_t>(), row[6].as<bool>()});
    return pieces;
}

bool owns_tables(pqxx::transaction_base& tx) {
    return tx
        .exec("SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'schema_migrations'::regclass")
            [0][0]
        .as<bool>();
}

// Each statement is a transaction, as CREATE INDEX CONCURRENTLY must be.
void do_piece(pqxx::connection& connection, const Piece& piece) {
    pqxx::nontransaction session(connection);
    session.exec(kPatient);
    if (!piece.removes.empty()) session.exec(piece.removes);
    if (!piece.makes.empty()) session.exec(piece.makes);
    if (piece.attaches.empty()) return;
    session.exec(kBrief);
    session.exec(piece.attaches);
}

// nullopt: it is done. Throws what is no matter of the piece.
std::optional<FaultKind> done_or_fault(pqxx::connection& connection, const Piece& piece) {
    try {
        do_piece(connection, piece);
        return std::nullopt;
    } catch (const pqxx::sql_error& e) {
        const auto kind = fault_kind(shim::sqlstate_of(e));
        if (kind == FaultKind::outage || kind == FaultKind::unknown) throw;
        const bool is_broken = kind == FaultKind::refused;
        log::write(is_broken ? log::Level::error : log::Level::warn,
                   is_broken
                       ? "stored rows are not as a migration wants them; it is tried again after a restart"
                       : "what a migration left does not go now; it is tried again",
                   {{"table", piece.table}, {"what", piece.name}, {"because", e.what()}});
        return kind;
    }
}

}  // namespace

std::vector<Unfinished> unfinished(pqxx::transaction_base& tx) {
    std::vector<Unfinished> found;
    for (const auto& piece : pieces_left(tx)) {
        if (found.empty() || found.back().table != piece.table || found.back().name != piece.name)
            found.push_back({piece.table, piece.name, 0, 0});
        // A constraint whose parts are validated is so by a word.
        if (piece.is_leaf || found.back().tables_left == 0) ++found.back().tables_left;
        found.back().bytes_left += piece.bytes;
    }
    return found;
}

void Finisher::round(pqxx::connection& connection, const std::function<bool()>& is_time_left) {
    std::vector<Piece> pieces;
    std::string settings;
    {
        pqxx::work tx(connection);
        pieces = pieces_left(tx);
        if (pieces.empty()) return;
        if (!owns_tables(tx)) {
            if (!std::exchange(told_of_owner_, true))
                log::warn(
                    "a migration left work that only the owner of the tables may do: run `receiptd migrate "
                    "--finish` "
                    "as the owner",
                    {{"table", pieces.front().table},
                     {"what", pieces.front().name},
                     {"pieces", pieces.size()}});
            return;
        }
        settings = tx.exec(
                         "SELECT format('SET lock_timeout = %L; SET statement_timeout = %L', "
                         "current_setting('lock_timeout'), current_setting('statement_timeout'))")[0][0]
                       .as<std::string>();
    }
    std::size_t done = 0;
    for (const auto& piece : pieces) {
        if (done > 0 && !is_time_left()) break;
        if (broken_.contains(piece.name)) continue;
        const auto kind = done_or_fault(connection, piece);
        if (kind == FaultKind::refused)
            broken_.insert(piece.name);
        else if (kind)
            break;
        else
            ++done;
    }
    pqxx::nontransaction(connection).exec(settings);
    if (done > 0)
        log::info("what migrations left is done piece by piece",
                  {{"done", done}, {"left", pieces.size() - done}});
}

}  // namespace receiptd::storage
