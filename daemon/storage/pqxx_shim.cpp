#include "storage/pqxx_shim.hpp"

#include "storage/errors.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <array>
#include <cctype>
#include <vector>

namespace receiptd::storage {
namespace shim {
namespace {

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

// It stays the transaction's.
PGconn* raw_connection(pqxx::transaction_base& tx) { return (tx.conn().*exposed(RawConnection{}))(); }

using Answer = std::unique_ptr<PGresult, void (*)(PGresult*)>;

[[noreturn]] void throw_failure(PGconn* connection, const PGresult* answer, const std::string& command) {
    const char* code = answer == nullptr ? nullptr : PQresultErrorField(answer, PG_DIAG_SQLSTATE);
    const std::string sqlstate = code == nullptr ? "" : code;
    const std::string text = answer == nullptr ? PQerrorMessage(connection) : PQresultErrorMessage(answer);
    if (sqlstate.empty()) throw pqxx::broken_connection(text);
    if (sqlstate == "23505") throw pqxx::unique_violation(text, command, sqlstate.c_str());
    throw pqxx::sql_error(text, command, sqlstate.c_str());
}

// "FATAL:  28P01" (PQERRORS_SQLSTATE).
std::string trailing_sqlstate(std::string_view message) {
    while (!message.empty() && std::isspace(static_cast<unsigned char>(message.back())))
        message.remove_suffix(1);
    if (message.size() < 5) return {};
    const auto code = message.substr(message.size() - 5);
    for (const char c : code)
        if (!std::isdigit(static_cast<unsigned char>(c)) && !(c >= 'A' && c <= 'Z')) return {};
    return std::string(code);
}

// libpq tells the code of a refused connection only in a message, and only if it is asked to before it
// connects. PQconnectdb cannot be asked, and nothing else keeps connect_timeout for each of several hosts:
// hence a second attempt (5 s at most), by a code rather than by words in the server's language.
std::string refusal_sqlstate(const std::string& conninfo) {
    const std::unique_ptr<PGconn, void (*)(PGconn*)> connection(PQconnectStart(conninfo.c_str()), &PQfinish);
    if (!connection) return {};
    PQsetErrorVerbosity(connection.get(), PQERRORS_SQLSTATE);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    auto step = PGRES_POLLING_WRITING;
    while (step == PGRES_POLLING_READING || step == PGRES_POLLING_WRITING) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now())
                .count();
        pollfd descriptor{PQsocket(connection.get()),
                          static_cast<short>(step == PGRES_POLLING_READING ? POLLIN : POLLOUT), 0};
        if (left <= 0 || descriptor.fd < 0 || poll(&descriptor, 1, static_cast<int>(left)) <= 0) return {};
        step = PQconnectPoll(connection.get());
    }
    return step == PGRES_POLLING_FAILED ? trailing_sqlstate(PQerrorMessage(connection.get())) : std::string();
}

}  // namespace

std::unique_ptr<pqxx::connection> connect(const std::string& conninfo) {
    std::unique_ptr<pqxx::connection> connection;
    try {
        connection = std::make_unique<pqxx::connection>(conninfo);
    } catch (const pqxx::broken_connection& e) {
        const auto sqlstate = refusal_sqlstate(conninfo);
        if (sqlstate.empty()) throw;
        throw pqxx::sql_error(e.what(), "connect", sqlstate.c_str());
    }
#if PQXX_VERSION_MAJOR < 7
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    connection->inhibit_reactivation(true);
#pragma GCC diagnostic pop
#endif
    return connection;
}

std::string sqlstate_of(const pqxx::sql_error& error) {
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

BinaryCopy::BinaryCopy(pqxx::transaction_base& tx, std::string command)
    : connection_(raw_connection(tx)), command_(std::move(command)) {
    tx.exec(command_);
}

bool BinaryCopy::put(std::string_view bytes) {
    return PQputCopyData(connection_, bytes.data(), static_cast<int>(bytes.size())) == 1;
}

void BinaryCopy::complete() {
    PQputCopyEnd(connection_, nullptr);
    Answer failure(nullptr, &PQclear);
    bool answered = false;
    while (auto* next = PQgetResult(connection_)) {
        Answer answer(next, &PQclear);
        answered = true;
        if (PQresultStatus(next) != PGRES_COMMAND_OK && !failure) failure = std::move(answer);
        if (PQresultStatus(next) == PGRES_COPY_IN) break;  // it cannot be ended
    }
    if (failure || !answered) throw_failure(connection_, failure.get(), command_);
}

bool take_notifications(pqxx::transaction_base& tx) {
    auto* connection = raw_connection(tx);
    if (PQconsumeInput(connection) != 1) throw pqxx::broken_connection(PQerrorMessage(connection));
    bool any = false;
    while (const auto notification =
               std::unique_ptr<PGnotify, void (*)(void*)>(PQnotifies(connection), &PQfreemem))
        any = true;
    return any;
}

void wait_for_server(pqxx::transaction_base& tx, int stop, std::chrono::milliseconds time) {
    std::array descriptors{pollfd{PQsocket(raw_connection(tx)), POLLIN, 0}, pollfd{stop, POLLIN, 0}};
    poll(descriptors.data(), descriptors.size(), static_cast<int>(time.count()));
}

pqxx::result query_in_text(pqxx::transaction_base& tx, const std::string& sql,
                           std::span<const std::optional<std::string>> parameters) {
#if PQXX_VERSION_MAJOR > 7 || (PQXX_VERSION_MAJOR == 7 && PQXX_VERSION_MINOR >= 9)
    pqxx::params given;
    for (const auto& parameter : parameters) given.append(parameter);
    return tx.exec(sql, given);
#else
    std::vector<const char*> given;
    for (const auto& parameter : parameters) given.push_back(parameter ? parameter->c_str() : nullptr);
    return tx.exec_params(sql, pqxx::prepare::make_dynamic_params(given));
#endif
}

}  // namespace shim

std::string text_array(const std::vector<std::string>& values) {
    std::string text = "{";
    for (const auto& value : values) {
        if (text.size() > 1) text += ',';
        text += '"';
        for (const char c : value) {
            if (c == '"' || c == '\\') text += '\\';
            text += c;
        }
        text += '"';
    }
    return text + '}';
}

base::u128 amount_of(const pqxx::field& field) {
    return base::parse_u128(field.as<std::string>()).value_or(0);
}

std::vector<std::string> texts_of(const pqxx::result& rows) {
    std::vector<std::string> texts;
    for (const auto& row : rows) texts.push_back(row[0].as<std::string>());
    return texts;
}

base::HeightSet heights_of(const pqxx::field& field) {
    auto heights = base::HeightSet::parse_multirange(field.as<std::string>());
    if (!heights)
        throw StorageError("the column " + std::string(field.name()) +
                           " holds a range without end; correct it by hand");
    return std::move(*heights);
}

std::vector<std::string> ids_of(const pqxx::field& field) {
    std::vector<std::string> ids;
    if (field.is_null()) return ids;
    const auto text = field.as<std::string>();
    std::size_t from = 1;
    while (from + 1 < text.size()) {
        auto end = text.find(',', from);
        if (end == std::string::npos) end = text.size() - 1;
        ids.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return ids;
}

}  // namespace receiptd::storage
