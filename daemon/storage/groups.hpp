// Groups of alerts in their table (migrations/0004_alerts.sql).
#pragma once

#include "storage/delivery_store.hpp"
#include "storage/pqxx_shim.hpp"
#include "storm/group.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace receiptd::storage {

struct OpenGroup {
    std::int64_t group_id = 0;
    std::string name;  // for others: storage/database_id.hpp
    storm::Group group;
    bool is_new = false;         // opened by this transaction
    bool has_condition = false;  // it is over when that is
};
using OpenGroups = std::map<std::string, OpenGroup>;  // by key

// The open ones among these keys, locked until the transaction ends. Everybody locks in one order.
OpenGroups lock_groups(pqxx::transaction_base& tx, const std::string& endpoint,
                       const std::set<std::string>& keys);
// A group that is about to be opened.
struct Opening {
    std::string rules;     // storm::rules_key
    std::string alert_id;  // of its first alert
};
// Opens groups without members, by key. One that another process has opened since is not new.
void open_groups(pqxx::transaction_base& tx, const std::string& endpoint,
                 const std::map<std::string, Opening>& openings, OpenGroups& groups);
// How many groups were opened in the last hour, by these rules.
std::map<std::string, std::uint64_t> groups_of_the_hour(pqxx::transaction_base& tx,
                                                        const std::string& endpoint,
                                                        const std::set<std::string>& rules);

// Members that join a group.
struct Joining {
    std::uint64_t members = 0;
    std::uint64_t told = 0;        // those that are sent by themselves
    std::vector<std::string> ids;  // of the others, as many as a digest names
    base::WallTime first_at = base::WallTime::max();
    base::WallTime last_at = base::WallTime::min();
};
void join_group(pqxx::transaction_base& tx, const OpenGroup& group, const Joining& joining,
                const storm::Settings& settings, base::WallTime now);

inline constexpr std::size_t kMostIdsTold = 20;

// The SQL of a row g of alert_groups. Others know a group that has no name by its number.
inline constexpr const char* kNameOfGroup = "coalesce(g.name, 'group-' || g.group_id)";

// Queues the digests and ends that are due, and what caps withheld in hours that are over; how many messages.
// A group that another process looks at is left to it.
unsigned tend_storms(pqxx::transaction_base& tx, const std::vector<EndpointStorm>& endpoints);

}  // namespace receiptd::storage
