// What judging a stored tree tells of its receipts' places, written into their rows.
#pragma once

#include "chain/tree/judgement.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/tree_load.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace receiptd::storage {

class Placing {
public:
    Placing(pqxx::transaction_base& tx, const TreeTimes& times) : tx_(tx), times_(times) {}

    void add(const std::string& tx_hash, const chain::Judgement& judgement);
    // Roles that are known, and parents that were not stored. Returns how many receipts have changed.
    std::uint64_t write();

    // As they were added: the trees and ids of the receipts.
    const std::vector<std::string>& trees() const { return trees_; }
    const std::vector<std::string>& receipts() const { return receipts_; }

private:
    pqxx::transaction_base& tx_;
    const TreeTimes& times_;
    std::vector<std::string> trees_, receipts_, parents_, roles_;
};

}  // namespace receiptd::storage
