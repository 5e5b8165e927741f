// The alert rules and account lists that the daemons of a database have declared
// (migrations/0005_rules.sql).
#pragma once

#include "storage/pqxx_shim.hpp"

#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

struct DeclaredRule {
    std::string name;
    std::string definition;  // canonical JSON (rule/definition.hpp)
};

struct DeclaredList {
    std::string name;
    std::optional<std::vector<std::string>> accounts;  // of its file; nullopt: people add and remove them
};

struct Declaration {
    std::vector<DeclaredRule> rules;
    std::vector<DeclaredList> lists;
};

// A name that another living daemon has declared differently.
struct Contested {
    std::string what;  // "rule" or "list"
    std::string name;
    std::string place;  // of the other daemon
};

// Makes them count from the commit on, before what others declared under the same names.
std::vector<Contested> declare_rules(pqxx::transaction_base& tx, const std::string& process,
                                     const std::string& place, const Declaration& declared);
// The rules of `declared` for which a later declaration counts.
std::vector<Contested> overruled(pqxx::transaction_base& tx, const std::string& process,
                                 const Declaration& declared);
// Rules that no living daemon has declared and no served endpoint names.
void forget_unused_rules(pqxx::transaction_base& tx);

enum class Listing { changed, as_it_was, no_such_list, kept_in_a_file, full };
inline constexpr int kMostListed = 100'000;
// Why the account was not put on the list, or not taken off; empty: it was.
std::string refusal(Listing listing, const std::string& list);
// Adds an account to a list that people keep, or removes it.
Listing set_listed(pqxx::transaction_base& tx, const std::string& list, const std::string& account_id,
                   bool is_listed);

}  // namespace receiptd::storage
