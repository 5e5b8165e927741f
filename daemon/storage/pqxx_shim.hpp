// Where libpqxx 6.4 (Debian 12) and 7 differ: the only file that knows.
#pragma once

#include <pqxx/connection>
#include <pqxx/except>
#include <pqxx/nontransaction>
#include <pqxx/result>
#include <pqxx/transaction>
#include <pqxx/version>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace receiptd::storage::shim {

inline constexpr int kMajor = PQXX_VERSION_MAJOR;

namespace detail {

// The library writes no COPY but its own text. An explicit instantiation may name a private member and so
// hands out libpq's connection; the member has the same name in 6 and 7.
template <class Tag, typename Tag::Pointer member>
struct Expose {
    friend constexpr typename Tag::Pointer exposed(Tag) { return member; }
};

#if PQXX_VERSION_MAJOR >= 7
using Connection = pqxx::connection;
#else
using Connection = pqxx::connection_base;
#endif

struct RawConnection {
    using Pointer = pqxx::internal::pq::PGconn* (Connection::*)() const;
    friend constexpr Pointer exposed(RawConnection);
};
template struct Expose<RawConnection, &Connection::raw_connection>;

}  // namespace detail

// libpq's connection below a transaction; it stays the transaction's.
inline pqxx::internal::pq::PGconn* raw_connection(pqxx::transaction_base& tx) {
    return (tx.conn().*exposed(detail::RawConnection{}))();
}

// A connection that fails for good when it is lost. (6.4 would reconnect by itself between two
// statements and lose the session's settings and locks.)
inline std::unique_ptr<pqxx::connection> connect(const std::string& conninfo) {
    auto connection = std::make_unique<pqxx::connection>(conninfo);
#if PQXX_VERSION_MAJOR < 7
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    connection->inhibit_reactivation(true);
#pragma GCC diagnostic pop
#endif
    return connection;
}

// 6.4 forgets the code of errors that have a type of their own.
inline std::string sqlstate_of(const pqxx::sql_error& error) {
    if (!error.sqlstate().empty()) return error.sqlstate();
    const auto is = [&](auto* type) { return dynamic_cast<decltype(type)>(&error) != nullptr; };
    if (is(static_cast<const pqxx::insufficient_privilege*>(nullptr))) return "42501";
    if (is(static_cast<const pqxx::undefined_table*>(nullptr))) return "42P01";
    if (is(static_cast<const pqxx::undefined_column*>(nullptr))) return "42703";
    if (is(static_cast<const pqxx::undefined_function*>(nullptr))) return "42883";
    if (is(static_cast<const pqxx::disk_full*>(nullptr))) return "53100";
    if (is(static_cast<const pqxx::out_of_memory*>(nullptr))) return "53200";
    if (is(static_cast<const pqxx::insufficient_resources*>(nullptr))) return "53000";
    if (is(static_cast<const pqxx::check_violation*>(nullptr))) return "23514";
    if (is(static_cast<const pqxx::unique_violation*>(nullptr))) return "23505";
    return {};
}

template <class... Parameters>
pqxx::result query(pqxx::transaction_base& tx, const std::string& sql, const Parameters&... parameters) {
#if PQXX_VERSION_MAJOR > 7 || (PQXX_VERSION_MAJOR == 7 && PQXX_VERSION_MINOR >= 9)
    return tx.exec(sql, pqxx::params{parameters...});
#else
    return tx.exec_params(sql, parameters...);
#endif
}

// All of its statements see one state of the database.
#if PQXX_VERSION_MAJOR >= 7
using Snapshot = pqxx::transaction<pqxx::isolation_level::repeatable_read, pqxx::write_policy::read_only>;
#else
using Snapshot = pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>;
#endif

}  // namespace receiptd::storage::shim
