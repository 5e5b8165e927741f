// The result of a transaction outlives its receipts ([retention] results).
#pragma once

#include "base/clock.hpp"
#include "chain/tree/judgement.hpp"
#include "storage/pqxx_shim.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace receiptd::storage {

struct KeptResult {
    chain::TransactionFacts transaction;
    chain::Judgement tree;  // without receipts and failures
    std::uint64_t receipts = 0;
    std::string error_class;  // of the failure that gave the verdict
};

struct Kept {
    std::optional<base::WallTime> pruned_before;  // receipts are; nullopt: none was pruned
    std::optional<KeptResult> result;             // of the first execution, if receipts were pruned at all
};

Kept kept_of(pqxx::transaction_base& tx, const std::string& tx_hash);

}  // namespace receiptd::storage
