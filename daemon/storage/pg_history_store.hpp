// HistoryStore on PostgreSQL, on the connections for people, who do not wait long.
#pragma once

#include "storage/database.hpp"
#include "storage/history_store.hpp"
#include "storage/transaction_walk.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

class PgHistoryStore final : public HistoryStore {
public:
    // `database` must outlive it.
    explicit PgHistoryStore(Database& database) : database_(database) {}

    base::Task<TransactionPage> list_transactions(TransactionFilter filter) override;
    base::Task<KnownHeights> known_heights(std::string account_id, ListedTable table) override;
    base::Task<std::vector<Gap>> list_gaps(std::int64_t above, unsigned limit) override;
    base::Task<std::vector<BackfillOrder>> list_backfills(std::int64_t before, unsigned limit) override;

    // The result of a look at one step.
    struct Look {
        std::vector<ListedTransaction> fitting;
        std::int64_t read = 0;  // rows of an index
        ListPlace last;         // of these
    };

private:
    base::Task<ListBounds> bounds_of(const TransactionFilter& filter);
    base::Task<Look> look(const TransactionFilter& filter, std::int64_t since, const ListPlace& from,
                          unsigned most, unsigned wanted);

    Database& database_;
};

}  // namespace receiptd::storage
