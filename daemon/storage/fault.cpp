#include "storage/fault.hpp"

#include "storage/errors.hpp"
#include "storage/pqxx_shim.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace receiptd::storage {
namespace {

using namespace std::string_view_literals;

struct Advice {
    std::string_view sqlstate;
    std::string_view text;
};
constexpr std::array kAdvice = {
    Advice{
        "42501"sv,
        "the database user lacks a right: connect as the owner, or as a member of receiptd_daemon after the owner ran `receiptd migrate`"sv},
    Advice{"3D000"sv, "create the database first, or correct its name in database.url"sv},
    Advice{"28P01"sv, "check user and password in database.url"sv},
    Advice{
        "28000"sv,
        "the server does not let this user in: check the user in database.url and the server's pg_hba.conf"sv},
    Advice{"22021"sv, "the database must have the encoding UTF8"sv},
    Advice{"53100"sv, "the server's disk is full: free space; writing goes on by itself then"sv},
    Advice{"53300"sv,
           "the server has no free connection: raise max_connections or lower database.connections"sv},
    Advice{
        "55000"sv,
        "where a publication has the table, its owner calls identify_rows('the table'), which gives it a replica identity"sv},
};

std::string one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        if (c == '\n' || c == '\r' || c == '\t')
            line += line.empty() || line.back() == ' ' ? "" : " ";
        else
            line += c;
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line;
}

std::string with_advice(std::string text, const std::string& sqlstate) {
    for (const auto& advice : kAdvice)
        if (advice.sqlstate == sqlstate) return text.append("; ").append(advice.text);
    return text;
}

// An error without a code on a dead connection is the death itself.
Fault fault_with_connection(Fault fault, bool connection_open) {
    if (!connection_open && (fault.sqlstate.empty() || fault.kind == FaultKind::retry))
        fault.kind = FaultKind::outage;
    return fault;
}

}  // namespace

FaultKind fault_kind(const std::string& sqlstate) {
    const auto is = [&](std::string_view prefix) { return sqlstate.compare(0, prefix.size(), prefix) == 0; };
    // 08 connection, 57P administrator or crash or starting up, 53 resources, 25P timeouts that close
    // the session, 58 system errors, 25006 a standby after a switch.
    if (is("08") || is("57P") || is("53") || is("25P") || is("58") || is("25006")) return FaultKind::outage;
    // 40 rolled back (deadlock, serialization), 55P03 lock timeout, 55006 in use, 57014 cancelled or timed
    // out.
    if (is("40") || is("55P03") || is("55006") || is("57014")) return FaultKind::retry;
    // 42 syntax, names and rights, 3D and 3F no such database or schema, 28 who may come in.
    if (is("42") || is("3D") || is("3F") || is("28")) return FaultKind::setup;
    // 22 data exception, 23 constraint, 21 more rows than one, 54 a value that is too long or too deep.
    if (is("22") || is("23") || is("21") || is("54")) return FaultKind::refused;
    return FaultKind::unknown;
}

bool is_of_the_connection(const Fault& fault) {
    const std::string_view sqlstate = fault.sqlstate;
    return fault.kind == FaultKind::outage && (sqlstate.empty() || sqlstate.starts_with("08") ||
                                               sqlstate.starts_with("57P") || sqlstate.starts_with("25P"));
}

bool is_of_the_schema(const Fault& fault) {
    const std::string_view sqlstate = fault.sqlstate;
    return sqlstate.starts_with("42") && sqlstate != "42501";
}

bool is_of_the_rows(const std::exception& error) {
    if (dynamic_cast<const StorageStopped*>(&error) || dynamic_cast<const StorageTimeout*>(&error))
        return false;
    if (const auto* sql = dynamic_cast<const pqxx::sql_error*>(&error)) {
        const auto kind = fault_kind(shim::sqlstate_of(*sql));
        return kind == FaultKind::refused || kind == FaultKind::unknown;
    }
    return dynamic_cast<const pqxx::failure*>(&error) == nullptr;
}

Fault fault_of(std::string sqlstate, std::string text, const ConnectionString& database) {
    // A row that a constraint refuses is told whole: it may hold a signed transaction.
    text.resize(std::min(text.find("\nDETAIL:  Failing row contains"), text.size()));
    text = with_advice(one_line(database.scrub(std::move(text))), sqlstate);
    const auto kind = fault_kind(sqlstate);
    return {kind, std::move(sqlstate), std::move(text)};
}

Fault classify(const std::exception_ptr& error, bool connection_open, const ConnectionString& database) {
    Fault fault;
    try {
        std::rethrow_exception(error);
    } catch (const pqxx::broken_connection& e) {
        fault = {FaultKind::outage, {}, e.what()};
    } catch (const pqxx::in_doubt_error&) {
        // 08007: transaction resolution unknown
        return {FaultKind::outage, "08007",
                "the connection was lost while committing; checking what became of it"};
    } catch (const pqxx::sql_error& e) {
        return fault_with_connection(fault_of(shim::sqlstate_of(e), e.what(), database), connection_open);
    } catch (const pqxx::transaction_rollback& e) {
        return fault_with_connection(fault_of("40000", e.what(), database), connection_open);
    } catch (const pqxx::failure& e) {
        fault = {FaultKind::unknown, {}, e.what()};
    } catch (const pqxx::conversion_error& e) {
        fault = {FaultKind::refused, {}, e.what()};
    } catch (const std::exception& e) {
        fault = {FaultKind::permanent, {}, e.what()};
    }
    fault.text = one_line(database.scrub(std::move(fault.text)));
    return fault_with_connection(std::move(fault), connection_open);
}

}  // namespace receiptd::storage
