// Which heights are whole for each followed account (docs/decisions/0061): coverage knows heights, and of
// these an account lacks those that were stored without it.
#pragma once

#include "base/height_set.hpp"
#include "storage/pqxx_shim.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace receiptd::storage {

// A condition in SQL on a row f of followed_accounts. Where everything ("*") is wanted since the scope has
// grown, no account is wanted for itself.
inline const std::string kFollowedNow =
    "(f.was_whole IS NULL AND (f.account_id = '*' OR NOT EXISTS (SELECT FROM followed_accounts e "
    "WHERE e.account_id = '*' AND e.was_whole IS NULL)))";

struct FollowedAccount {
    std::string account_id;         // "*": everything
    base::Height since_height = 0;  // 0: from the first stored height on
    // Rows of the account at these heights may be missing: they were stored without it, or a tree that it
    // touched at such a height may go on there. Reaches above the stored heights, and not below what
    // retention has left.
    base::HeightSet not_whole = {};
};

// The accounts that the database follows. `serial` grows with each change of them.
struct FollowedAccounts {
    std::int64_t serial = 0;
    std::vector<FollowedAccount> accounts;  // by name
};
FollowedAccounts followed_accounts(pqxx::transaction_base& tx);
std::int64_t scope_serial(pqxx::transaction_base& tx);

// Follows these, too: whole from the next commit on by daemons that know of them, but for trees that run by
// then. Returns those that are new.
std::vector<std::string> follow_accounts(pqxx::transaction_base& tx,
                                         const std::vector<std::string>& accounts);

// Follows it no more: what is known of its heights is gone, and so are orders to fill it. False: it was not
// followed.
bool forget_account(pqxx::transaction_base& tx, const std::string& account);

// In the transaction that covers heights: accounts that came after `serial` are not whole there.
void lack_later_accounts(pqxx::transaction_base& tx, const base::HeightSet& heights, std::int64_t serial);

}  // namespace receiptd::storage
