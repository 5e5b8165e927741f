// The lease of the leader: of the daemons on one database, one follows the head.
#pragma once

#include "base/task.hpp"

#include <cstdint>
#include <string>

namespace receiptd::storage {

struct Lease {
    bool mine = false;
    std::int64_t epoch = 0;  // CommitFacts::epoch of the leader's commits
    std::string holder;      // the leading process
    std::string place;       // its host and process id, for people
    std::string process;     // its app::process_name()
    friend bool operator==(const Lease&, const Lease&) = default;
};

class LeaseStore {
public:
    virtual ~LeaseStore() = default;

    // Renews this process's lease for three seconds of the database's clock, or takes one that has run out,
    // that was released, or whose holder is `gone`. Returns the lease as it is then.
    virtual base::Task<Lease> hold(std::string gone = "") = 0;
    // The next to ask takes it at once.
    virtual base::Task<void> release() = 0;
};

}  // namespace receiptd::storage
