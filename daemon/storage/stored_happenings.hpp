// What stored receipts did, as it was told when they were written.
#pragma once

#include "chain/tree/happening.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/sql_time.hpp"

#include <map>
#include <string>
#include <vector>

namespace receiptd::storage {

struct StoredHappenings {
    std::vector<chain::Happening> found;
    std::size_t receipts = 0;     // that were read
    bool has_large_ones = false;  // with long arguments
};

// Which of the receipts. Empty: all of them.
struct OnlyReceipts {
    std::vector<std::string> ids = {};
    std::vector<std::string> receivers = {};
};
// The receipts were executed between the times; their order is kept.
StoredHappenings stored_happenings(pqxx::transaction_base& tx, const chain::Interest& interest,
                                   const TimeSpan& executed, const OnlyReceipts& only = {});

// For whom relayers sent these transactions, by tx_hash; of receipts executed between the times.
std::map<std::string, std::string, std::less<>> users_of(pqxx::transaction_base& tx,
                                                         const std::vector<std::string>& tx_hashes,
                                                         const TimeSpan& executed);

}  // namespace receiptd::storage
