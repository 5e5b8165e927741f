// The receipts of a transaction as values for its view. Pure.
#pragma once

#include "base/clock.hpp"
#include "chain/tree/judgement.hpp"
#include "page/render.hpp"
#include "storage/page_store.hpp"

#include <string>
#include <vector>

namespace receiptd::page {

// A view lists so many; a larger tree is seen in its drawing, and each of its receipts by ?receipt=.
inline constexpr std::size_t kMostListed = 40;

// Indexes of the receipts that are listed, in the order of the tree: the chosen one, those that failed, and
// then the first ones. `chosen`: a receipt id; empty: none.
std::vector<std::size_t> listed_receipts(const chain::Judgement& tree, const std::string& chosen);

struct ReceiptsView {
    std::string tx_hash;
    std::string chosen;
    std::vector<storage::ReceiptDetail> details;  // of those listed, as far as they are stored
    base::WallTime now{};
};
// [{id, short, anchor, link, role, status, …, detail: {args, logs, events, result, json}|null}]: of those
// listed. Details stop when they are longer than the view may be; the chosen receipt has its own in any case.
Json receipts_values(const chain::Judgement& tree, const ReceiptsView& view);

}  // namespace receiptd::page
