// Takes due deliveries, in one transaction with what storm control makes of them: a process that dies in
// between has changed nothing.
#pragma once

#include "storage/delivery_store.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/settled_places.hpp"
#include "storage/silence_book.hpp"
#include "storm/about.hpp"

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace receiptd::storage {

struct DeliveryName {
    std::string alert_id;
    std::string endpoint;
};

struct ClaimedDelivery {
    DueDelivery due;
    storm::About about;
    // An earlier claim or a person has decided that it is sent.
    bool is_decided = false;
    bool was_claimed = false;  // by an earlier claim, which may have sent it
    bool is_by_hand = false;   // a person has
    bool withhold_late = false;
    base::WallTime due_at{};
    bool is_sent = false;  // Sift says so
};

// Gives the deliveries that `process` is to attempt, leased to it, and how many others there were. `only`: of
// these; empty: of all.
Claimed claim_due(pqxx::transaction_base& tx, SilenceBook& silences, SettledPlaces& places,
                  const std::string& process, const std::vector<EndpointRoom>& rooms,
                  std::chrono::seconds lease, std::span<const DeliveryName> only);

// The due deliveries for which the rooms have place, the longest due first.
std::vector<DeliveryName> due_now(pqxx::connection& connection, const std::vector<EndpointRoom>& rooms);
// An attempt that failed before it was made: the next one comes later and later, and after four days none.
void postpone(pqxx::connection& connection, const DeliveryName& delivery, const std::string& reason);

}  // namespace receiptd::storage
