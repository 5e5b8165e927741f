// An account as values: what it sent and got, what failed, what is under way, and which heights these lists
// are of. Pure.
#pragma once

#include "base/clock.hpp"
#include "chain/tree/finding.hpp"
#include "page/render.hpp"
#include "storage/history_store.hpp"
#include "storage/watch_store.hpp"

#include <optional>
#include <string>
#include <vector>

namespace receiptd::page {

// A list of its transactions.
struct AccountList {
    storage::AccountRole role = storage::AccountRole::user;
    storage::TransactionPage page;
};

struct AccountView {
    std::string account_id;
    std::vector<AccountList> lists;
    std::optional<std::vector<chain::Finding>>
        findings;  // newest first; nullopt: older transactions are shown alone
    std::vector<storage::Watch> open_watches;
    storage::KnownHeights known;
    base::WallTime now{};
};
Json account_values(const AccountView& view);

}  // namespace receiptd::page
