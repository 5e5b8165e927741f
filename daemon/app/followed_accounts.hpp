// Words for people about the accounts that the database follows.
#pragma once

#include "api/status.hpp"
#include "base/height_set.hpp"
#include "storage/account_coverage.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace receiptd::app {

bool lacks_rows(const storage::FollowedAccounts& followed);
api::AccountView view(const storage::FollowedAccount& account, const base::HeightSet& covered);

nlohmann::ordered_json lacking_json(const storage::FollowedAccount& account);
// "a.near, followed since height 200; not whole over 120 heights: 100 to 219"
std::string in_words(const storage::FollowedAccount& account);

// Logs which accounts came since `before`, and which are followed without being configured.
void log_accounts(const storage::FollowedAccounts& before, const storage::FollowedAccounts& now,
                  const std::vector<std::string>& configured);

}  // namespace receiptd::app
