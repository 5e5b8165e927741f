// Sessions of other people that something of ours waits for, and objects of theirs that a change of the
// schema meets.
#pragma once

#include "storage/embedded_sql.hpp"
#include "storage/pqxx_shim.hpp"

#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

// The oldest transactions that hold a lock on this schema's tables, in words; empty: none is known.
std::string lock_holders(pqxx::transaction_base& tx);
// The same of other people's: those of daemons end by themselves.
std::string readers_of_partitions(pqxx::transaction_base& tx);
// The same of other people's that have written rows of a table.
std::string writers_of(pqxx::transaction_base& tx, const std::string& table);
// The oldest transaction of other people in the whole cluster that has written something.
std::string oldest_writer(pqxx::transaction_base& tx);

// Work that has waited for other people's sessions for seconds, and those sessions.
struct HeldUp {
    std::string what;
    std::string by;  // empty: they are over by now, or have prepared their transaction
};
std::optional<HeldUp> held_up(pqxx::transaction_base& tx);

// A view, function or constraint of other people that depends on objects of this schema.
struct ForeignObject {
    std::string name;
    std::string in_words;  // "view public.my_view of analyst"
    std::string ddl;       // makes it again
};
// `schema`: whose views and functions are ours.
std::vector<ForeignObject> foreign_objects(pqxx::transaction_base& tx, const std::vector<SqlFile>& schema);

// Functions and operators that PostgreSQL might call in place of its own ones of the same name, made in this
// schema by somebody who owns neither our tables nor the database; empty: there are none.
std::string shadowing_objects(pqxx::transaction_base& tx);
// Advice for people where anybody may make such objects; empty: nobody else may.
std::string advice_on_create_right(pqxx::transaction_base& tx);

}  // namespace receiptd::storage
