// Decides from a database error what happens next.
#pragma once

#include "storage/database_options.hpp"

#include <exception>
#include <string>

namespace receiptd::storage {

enum class FaultKind {
    outage,     // no usable connection: reconnect, with back-off
    retry,      // the connection is fine, the transaction must be run again
    setup,      // rights, schema or password are wrong: somebody must put them right meanwhile
    refused,    // a value that the database does not take
    unknown,    // the server refuses work for a reason that is not known here: it may be over later
    permanent,  // no fault of the server: waiting does not cure it
};

struct Fault {
    FaultKind kind = FaultKind::permanent;
    std::string sqlstate;  // empty where PostgreSQL gave none
    std::string text;      // one line, without secrets, with what to do where that is known
};

// A lock was not to be had within lock_timeout.
inline constexpr const char* kNoLockInTime = "55P03";

// By SQLSTATE (PostgreSQL manual, appendix A).
FaultKind fault_kind(const std::string& sqlstate);

// There is no connection, or it was lost: the server says nothing about the work.
bool is_of_the_connection(const Fault& fault);

// A statement of ours names what the database does not have, or has in another shape.
bool is_of_the_schema(const Fault& fault);

// The fault is in what was to be written or judged, not in the database: something else may go well.
bool is_of_the_rows(const std::exception& error);

// A fault known by its SQLSTATE.
Fault fault_of(std::string sqlstate, std::string text, const ConnectionString& database);

// `connection_open`: whether the connection survived.
Fault classify(const std::exception_ptr& error, bool connection_open, const ConnectionString& database);

}  // namespace receiptd::storage
