// The view of one transaction as values. Pure.
#pragma once

#include "page/receipts.hpp"
#include "page/render.hpp"
#include "watch/transaction_json.hpp"

#include <string>

namespace receiptd::page {

// `svg`: the drawing of its tree; empty: there is none.
Json transaction_values(const watch::TransactionView& view, const ReceiptsView& receipts, std::string svg);

}  // namespace receiptd::page
