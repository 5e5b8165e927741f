// Judging again what is stored of trees, inside a transaction that changes it.
#pragma once

#include "storage/pqxx_shim.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace receiptd::storage {

// Writes what is decided of these trees around that time and not stored. Nobody is told of it.
void settle_again(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes,
                  std::uint64_t timestamp_nanosec);

}  // namespace receiptd::storage
