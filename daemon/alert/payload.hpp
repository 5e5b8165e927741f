// The body of an alert. The same bytes are signed, sent and stored. Pure.
#pragma once

#include "base/clock.hpp"
#include "chain/tree/receipt_tree.hpp"
#include "storage/delivery_store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::alert {

// Everything known of an alert when its body is made.
struct Cause {
    std::string alert_id;
    std::string finding_id;
    std::string kind;  // of the finding
    std::string tx_hash;
    base::WallTime alerted_at{};
    std::optional<chain::Finding> finding;  // nullopt: forgotten by retention, or it is about something else
    std::string told_json;                  // of what no finding tells; empty: none
    storage::StoredTree tree;               // as far as it is stored
    // As storage::StoredCause has them.
    std::string idempotency_key, metadata_json, evidence_json;
};

// Where this daemon's readers go on reading. Empty texts are not told.
struct Site {
    std::string network;
    std::string public_url;  // where others reach API and page; empty: links are paths
    std::string explorer;    // an address with "{tx_hash}" in it
};

inline constexpr int kSchemaVersion = 1;

// Compact JSON, as rule/messages.hpp has the schema of its type. `verdict` is null as long as it is not
// certain. Texts of contracts are shortened, so that a body stays below 128 KiB.
std::string make_payload(const Cause& cause, const Site& site);
// The same; if that has not what its schema promises, the plain form of it.
std::string checked_payload(const Cause& cause, const Site& site);
bool is_plain(const std::string& body);
// The body for one endpoint, with the rules by which it is sent ("payments@3"), its group, whether it is
// late, and the first alert of the group where the delivery has that.
std::string for_endpoint(std::string body, const storage::DueDelivery& delivery);

}  // namespace receiptd::alert
