// Judges stored trees again, inside a transaction that changes them.
#pragma once

#include "chain/rows/rows.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/tree_load.hpp"

#include <pqxx/except>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace receiptd::storage {

// Trees whose transaction is not stored: they are left alone, or their findings that are decided are told, or
// all of them.
enum class InPart : std::uint8_t { nothing, decided, everything };

// Adds the results and findings of these trees that are decided and not stored yet. A stored finding of
// which only a part was known is written anew when the rest is.
void judge_stored(pqxx::transaction_base& tx, const std::map<std::string, StoredTree>& trees,
                  const TreeTimes& times, chain::RowBatch& batch, InPart in_part = InPart::nothing);

// Writes the results and findings of these trees around that time that are not stored yet, and returns them.
// Nobody is told.
chain::RowBatch settle_again(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes,
                             std::uint64_t timestamp_nanosec);

// Another daemon that saw all of a tree may have stored its judgement meanwhile: judged once more, its rows
// are seen.
template <class Judge>
auto judge_beside_others(const Judge& judge) {
    try {
        return judge();
    } catch (const pqxx::unique_violation&) {
        return judge();
    }
}

}  // namespace receiptd::storage
