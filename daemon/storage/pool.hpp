// The connections of a process to its database, by class of work: each class has its own, so that none waits
// behind another's.
#pragma once

#include "storage/lane.hpp"

namespace receiptd::storage {

struct Pool {
    Pool(SessionContext& context, const Shares& shares)
        : writers(context, shares.writers),
          following(context, shares.following),
          alerts(context, 2),
          stream(context, 1),
          people(context, shares.people, WaitedFor::by_people),
          maintenance(context, 1),
          listening(context, 1) {}

    Lane writers;
    Lane following;    // questions of the follower and the tracker, trees, adoption
    Lane alerts;       // attempts of one wait behind causes of another, and never behind lists
    Lane stream;       // /v1/stream: many may read it at once
    Lane people;       // the API
    Lane maintenance;  // may take long
    Lane listening;    // waits for notifications all the time
};

}  // namespace receiptd::storage
