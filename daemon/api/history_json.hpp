// Transactions, gaps, orders of backfills and known heights as /v1 tells them.
#pragma once

#include "storage/history_store.hpp"

#include <string>

namespace receiptd::api {

std::string listed_transaction_json(const storage::ListedTransaction& listed);
std::string gap_json(const storage::Gap& gap);
std::string backfill_json(const storage::BackfillOrder& order);
// `account_id` empty: of all that is followed.
std::string known_heights_json(const std::string& account_id, const storage::KnownHeights& known);

}  // namespace receiptd::api
