// The connections of a process to its database, by class of work: each class has its own, so that none waits
// behind another's (docs/decisions/0009).
#pragma once

#include "storage/lane.hpp"

namespace receiptd::storage {

struct Pool {
    Pool(SessionContext& context, const Shares& shares)
        : lease(context, shares.lease),
          writers(context, shares.writers),
          following(context, shares.following),
          adopting(context, shares.adopting),
          alerts(context, shares.alerts),
          stream(context, shares.stream),
          people(context, shares.people, WaitedFor::by_people),
          maintenance(context, shares.maintenance),
          listening(context, shares.listening) {}

    Lane lease;  // of the leader: another daemon takes over from one that renews it late
    Lane writers;
    Lane following;    // the follower and the tracker: their questions, due trees, updates of watches
    Lane adopting;     // takes the lock of adoption, for which only one of a database has use at a time
    Lane alerts;       // deliveries: due ones are claimed while causes are read
    Lane stream;       // /v1/stream, which many may read at once
    Lane people;       // queries of the API
    Lane maintenance;  // may take long
    Lane listening;    // a notification is waited for all the time
};

}  // namespace receiptd::storage
