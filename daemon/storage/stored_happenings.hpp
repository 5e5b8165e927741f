// What stored receipts did, as it was told when they were written.
#pragma once

#include "chain/tree/happening.hpp"
#include "storage/happening_subjects.hpp"
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

// The accounts behind these transactions, by tx_hash; of receipts executed between the times.
using Users = std::map<std::string, AskedBy, std::less<>>;
Users users_of(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes,
               const TimeSpan& executed);

}  // namespace receiptd::storage
