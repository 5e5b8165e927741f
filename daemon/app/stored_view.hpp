// A transaction as the database knows it, for the commands.
#pragma once

#include "storage/finding_store.hpp"
#include "storage/watch_store.hpp"
#include "watch/transaction_json.hpp"

#include <string>

namespace receiptd::app {

// `id`: the transaction's hash, or the id of a receipt of its tree. Without known() nothing is stored.
base::Task<watch::TransactionView> stored_view(storage::WatchAccess& watches, storage::FindingStore& findings,
                                               std::string id);

}  // namespace receiptd::app
