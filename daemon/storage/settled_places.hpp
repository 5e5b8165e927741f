// Up to which place (alerts.place) all alerts are committed, or never will be. Places are not drawn in the
// order of commits: the makers that were open when a place had been drawn must be over before what lies below
// it is settled.
#pragma once

#include "storage/pqxx_shim.hpp"

#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace receiptd::storage {

class SettledPlaces {
public:
    // All below the returned place is settled. It is a statement of its own: the next one of the transaction
    // sees what has been committed until here.
    std::int64_t look(pqxx::transaction_base& tx);

    // The same of one look: all places drawn are below `below`, and `makers` may have drawn some and are
    // open.
    std::int64_t learn(std::int64_t below, std::set<std::string> makers);

private:
    std::mutex mutex_;  // looks are learnt in the order in which they were made
    std::int64_t settled_ = 0;
    // Settled as soon as none of these makers is open any more.
    std::int64_t awaited_ = 0;
    std::set<std::string> open_;
};

}  // namespace receiptd::storage
