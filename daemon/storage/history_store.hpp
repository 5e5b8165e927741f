// Lists of what is stored, for people who have an account, and not a hash: its transactions, and which
// heights these are of; gaps and orders of backfills.
#pragma once

#include "base/height_set.hpp"
#include "base/task.hpp"
#include "chain/tree/finding.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::storage {

// The role of an account in a transaction. `user`: it signed it, or a relayer sent it on its behalf.
enum class AccountRole { user, signer, receiver };
std::string_view account_role_name(AccountRole role);
std::optional<AccountRole> parse_account_role(std::string_view name);

// Empty: any. What is asked of the result leaves out transactions that have none yet.
struct TransactionFilter {
    std::string account_id;
    AccountRole role = AccountRole::user;
    std::string method_name;
    std::optional<chain::Verdict> verdict;
    std::string near_status;  // success, failure
    std::string error_class;
    std::string since, until;  // ISO 8601; `until` is not included
    std::string cursor;
    unsigned limit = 100;

    // An index leads to what an account did, and to results that are not plain successes.
    bool has_index() const {
        return !account_id.empty() || (verdict && *verdict != chain::Verdict::succeeded);
    }
};

// A transaction and its result; empty and null: not known (yet).
struct ListedTransaction {
    std::string tx_hash;
    std::int64_t block_height = 0;
    std::string block_time;  // ISO 8601, as all times here
    std::string signer_id, user_id, claimed_user_id, receiver_id, method_name;
    std::string verdict, near_status, effect, error_class, error_text;
    std::optional<std::int64_t> completed_height;
    std::string completed_time;
    std::optional<std::int64_t> receipts, failed_receipts, gas_burnt;
    std::string tokens_burnt, net_deposit, tokens_lost;  // decimal numbers
    std::string cursor;                                  // the rows behind it follow
};

// Newest first, by the block that included the transaction, or in which its receiver got it, if it is listed
// as that. There may be fewer rows than asked for, even none, before the end.
struct TransactionPage {
    std::vector<ListedTransaction> transactions;
    std::string next_cursor;  // empty: this is the end
};

// "TIME,HASH"; the time need not exist.
bool is_transaction_cursor(const std::string& text);

// The tables that lists are read from: retention differs.
enum class ListedTable { transactions, findings };

// The heights of which everything about an account is stored.
struct KnownHeights {
    bool followed = false;                  // the account, or everything
    std::vector<base::HeightRange> ranges;  // newest first, kMostRanges at most
    bool has_more = false;
    std::string since;          // time of the lowest of all these heights; empty: there is none
    std::string pruned_before;  // rows of earlier blocks are deleted; empty: none was
};
inline constexpr unsigned kMostRanges = 100;

struct Gap {
    std::int64_t from_height = 0, to_height = 0;
    std::string reason, detail;
    std::optional<std::int64_t> attempts;
    std::string since, last_attempt_at, next_attempt_at;
};
std::string gap_cursor(const Gap& gap);

struct BackfillOrder {
    std::int64_t id = 0, from_height = 0, to_height = 0;
    std::vector<std::string> accounts;  // the first kMostAccounts of them
    std::int64_t all_accounts = 0;
    bool replaces = false;
    bool finished = false;
    bool leased = false;                       // a process works on it
    std::optional<std::int64_t> heights_left;  // nullopt: it is about accounts
    std::string created_at, finished_at;
};
inline constexpr unsigned kMostAccounts = 100;
std::string backfill_cursor(const BackfillOrder& order);

class HistoryStore {
public:
    virtual ~HistoryStore() = default;

    // The filter has an index, or its times are a day apart at most.
    virtual base::Task<TransactionPage> list_transactions(TransactionFilter filter) = 0;
    // `account_id` empty: of all that is followed.
    virtual base::Task<KnownHeights> known_heights(std::string account_id, ListedTable table) = 0;
    // Gaps above a height, the lowest first.
    virtual base::Task<std::vector<Gap>> list_gaps(std::int64_t above, unsigned limit) = 0;
    // Orders before an id, the newest first.
    virtual base::Task<std::vector<BackfillOrder>> list_backfills(std::int64_t before, unsigned limit) = 0;
};

}  // namespace receiptd::storage
