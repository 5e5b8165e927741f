// The body of an alert. The same bytes are signed, sent and stored. Pure.
#pragma once

#include "base/clock.hpp"
#include "chain/tree/receipt_tree.hpp"
#include "storage/delivery_store.hpp"

#include <optional>
#include <string>

namespace receiptd::alert {

// Everything known of an alert when its body is made.
struct Cause {
    std::string alert_id;
    std::string finding_id;
    std::string kind;  // of the finding
    std::string tx_hash;
    base::WallTime alerted_at{};
    std::optional<chain::Finding> finding;  // nullopt: forgotten by retention
    storage::StoredTree tree;               // as far as it is stored
};

// Compact JSON. `type` is "finding." and the kind, or "transaction.corrected"; `verdict` is null as long as
// it is not certain. Texts of contracts are shortened, so that a body stays below 128 KiB. Links begin with
// `public_url`, where others reach the API; empty: they are paths.
std::string make_payload(const Cause& cause, const std::string& public_url);

}  // namespace receiptd::alert
