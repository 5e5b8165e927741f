// The subject of a queued alert, as far as storm control asks.
#pragma once

#include "base/clock.hpp"

#include <string>
#include <vector>

namespace receiptd::storm {

// Empty texts are values that are missing.
struct About {
    std::string endpoint;
    std::string kind;                // of the alert: "failed_receipt", "completed"
    bool is_of_transaction = false;  // its type is "transaction.…": neither grouped nor withheld
    std::vector<std::string> rules;  // names of those that matched
    std::string contract_id;
    std::string method_name;
    std::string error_class;
    std::string signer_id;
    std::string user_id;
    std::string account_id;      // of a transfer
    base::WallTime caused_at{};  // block time
    base::WallTime queued_at{};
};

}  // namespace receiptd::storm
