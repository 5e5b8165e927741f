// Endpoints of all daemons on the database, as people see them, switch them on and pause them.
#pragma once

#include "base/task.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

struct EndpointRow {
    std::string name;
    std::vector<std::string> rules;  // names of those that it takes
    bool active = true;              // false: it answered 410
    bool is_served = true;           // alerts are queued for it: a daemon served it in the last four days
    std::string off_since;           // ISO 8601; empty: it is active
    std::string paused_since;        // ISO 8601; empty: it is not paused
    std::string served_at;           // ISO 8601; the last time that a daemon did
    std::string served_by;           // that daemon: host and process id; empty: not known
    std::string oldest_pending_at;   // ISO 8601; empty: none is pending
    std::uint64_t pending = 0;
    std::uint64_t dead = 0;
};

enum class Switched { now, before, no_such_endpoint };

class EndpointStore {
public:
    virtual ~EndpointStore() = default;

    virtual base::Task<std::vector<EndpointRow>> endpoints() = 0;  // by name
    // Its pending deliveries are sent from now on; dead ones stay dead.
    virtual base::Task<Switched> switch_on(std::string endpoint) = 0;
    // Its deliveries wait, however long, and are sent once it is resumed.
    virtual base::Task<Switched> pause(std::string endpoint) = 0;
    virtual base::Task<Switched> resume(std::string endpoint) = 0;
};

}  // namespace receiptd::storage
