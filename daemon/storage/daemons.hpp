// The daemons that share a database: each keeps a row alive, so that the others know its settings.
#pragma once

#include "storage/account_coverage.hpp"
#include "storage/alert_rules.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/set_aside.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

// A condition in SQL on a row of daemons.
inline const std::string kAlive = "seen_at > now() - interval '10 seconds'";

// Globs: '*' is any text, '?' any one character; empty: any text.
struct ExpectedFailure {
    std::string name;
    std::string contract;
    std::string method;
    std::string error_class;
};

// How long rows are kept. nullopt: for ever.
struct Keep {
    std::optional<std::chrono::hours> receipts;  // and all history but results
    std::optional<std::chrono::hours> results;   // transaction_results, findings, watches
    bool operator==(const Keep&) const = default;
};

// Settings of a daemon that others must know.
struct DaemonSettings {
    std::string place;   // host and process id, for people
    std::string source;  // "rpc", "neardata", "indexer"
    Keep keep;
    std::optional<std::vector<std::string>> accounts;  // to be followed; nullopt: the scope is another one
    std::vector<ExpectedFailure> expected = {};        // beside those of other daemons that live
    bool tells_delegate_duplicates = false;            // one that lives and does is enough
    Declaration alerts = {};
};

struct OtherDaemon {
    DaemonSettings settings;
    std::chrono::milliseconds seen_ago{0};
};

// Names of rules and lists that others have declared differently.
struct Joined {
    std::vector<OtherDaemon> others;
    std::vector<Contested> contested;
    std::string newer_schema;  // schema_state.hpp
    AsideCounts set_aside = {};
    std::int64_t scope_serial = 0;  // account_coverage.hpp
};

// Adds the daemon, and with scope accounts its accounts to those that the database follows.
std::vector<Contested> join_daemons(pqxx::transaction_base& tx, const std::string& process,
                                    const DaemonSettings& settings);
// Renews its row; returns the others that live, and the names for which what they declared counts.
Joined keep_alive(pqxx::transaction_base& tx, const std::string& process, const DaemonSettings& settings);
void leave_daemons(pqxx::transaction_base& tx, const std::string& process);
// The longest of `keep` and of what others want that live, or lived within a day: while a daemon is
// restarted, no other one drops what it keeps.
Keep longest_keep(pqxx::transaction_base& tx, const std::string& process, Keep keep);

std::vector<OtherDaemon> living_daemons(pqxx::transaction_base& tx, const std::string& but = "");

}  // namespace receiptd::storage
