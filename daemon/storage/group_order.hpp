// The order of a group's messages in the queue (storm/order.hpp decides).
#pragma once

#include "storage/pqxx_shim.hpp"
#include "storm/order.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace receiptd::storage {

struct Room {
    std::chrono::milliseconds look_again{0};  // 0: the next message may be queued now
    std::uint64_t untold = 0;                 // what it counts in place of messages that it overtakes
    std::string ids_json = "[]";              // of those alerts, as many as a message names
};

// Whether the next message of a group may be queued; drops what it overtakes. The group's row is locked.
Room make_room(pqxx::transaction_base& tx, std::int64_t group_id, storm::Act next,
               const storm::Settings& settings);

struct OfGroup {
    std::string alert_id;
    std::string kind;
    std::int64_t group_id = 0;
};

// By alert_id, of one endpoint. Locks the groups until the transaction ends, so that none ends meanwhile; of
// those that another process has locked it is later.
std::map<std::string, storm::Turn> turns_of(pqxx::transaction_base& tx, const std::vector<OfGroup>& messages);

}  // namespace receiptd::storage
