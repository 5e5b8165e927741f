// Replaces functions that libpqxx 6.4 (Debian 12) lacks, and hides its differences from version 7. Only this
// file knows them, and only it talks to libpq directly. libpqxx 6.4 has no binary COPY, forgets the SQLSTATE
// of errors that have a type of their own and of refused connections, takes no arrays, reads no optional, and
// loses notifications between two calls.
#pragma once

#include "base/height_set.hpp"
#include "base/u128.hpp"

#include <pqxx/connection>
#include <pqxx/except>
#include <pqxx/nontransaction>
#include <pqxx/result>
#include <pqxx/transaction>
#include <pqxx/version>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace receiptd::storage {

// As a PostgreSQL array of text.
std::string text_array(const std::vector<std::string>& values);
// The elements of a text[] of ids, which hold no quotes and no commas; NULL has none.
std::vector<std::string> ids_of(const pqxx::field& field);
// The texts of the first column.
std::vector<std::string> texts_of(const pqxx::result& rows);
// The value of an int8multirange. Throws StorageError that names the column where a range has no end.
base::HeightSet heights_of(const pqxx::field& field);
// The value of a numeric(39, 0).
base::u128 amount_of(const pqxx::field& field);

namespace shim {

// A connection that fails for good when it is lost. (6.4 would reconnect by itself between two
// statements and lose the session's settings and locks.) Throws pqxx::sql_error with the code that the server
// refused it with, pqxx::broken_connection where none came.
std::unique_ptr<pqxx::connection> connect(const std::string& conninfo);

std::string sqlstate_of(const pqxx::sql_error& error);

// COPY … FROM STDIN (FORMAT binary). Its errors are those of any statement of the transaction: an
// error of the server, or a lost connection.
class BinaryCopy {
public:
    BinaryCopy(pqxx::transaction_base& tx, std::string command);
    // False: the server has ended the COPY already; complete() knows why.
    bool put(std::string_view bytes);
    void complete();

private:
    pqxx::internal::pq::PGconn* connection_;
    std::string command_;
};

// Whether notifications have come on the session's channels; takes them.
bool take_notifications(pqxx::transaction_base& tx);
// Returns early when the server has sent something, or when the descriptor `stop` is readable.
void wait_for_server(pqxx::transaction_base& tx, int stop, std::chrono::milliseconds time);

template <class T>
std::optional<T> optional_of(const pqxx::field& field) {
    if (field.is_null()) return std::nullopt;
    return field.as<T>();
}

// A parameter as PostgreSQL reads it; nullopt: NULL.
template <class T>
std::optional<std::string> in_text(const T& parameter) {
    if (pqxx::string_traits<T>::is_null(parameter)) return std::nullopt;
    return pqxx::to_string(parameter);
}

pqxx::result query_in_text(pqxx::transaction_base& tx, const std::string& sql,
                           std::span<const std::optional<std::string>> parameters);

template <class... Parameters>
pqxx::result query(pqxx::transaction_base& tx, const std::string& sql, const Parameters&... parameters) {
    const std::array<std::optional<std::string>, sizeof...(parameters)> texts{in_text(parameters)...};
    return query_in_text(tx, sql, texts);
}

// All of its statements see one state of the database.
#if PQXX_VERSION_MAJOR >= 7
using Snapshot = pqxx::transaction<pqxx::isolation_level::repeatable_read, pqxx::write_policy::read_only>;
#else
using Snapshot = pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>;
#endif

}  // namespace shim
}  // namespace receiptd::storage
