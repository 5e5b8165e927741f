// Lists of history in memory.
#pragma once

#include "storage/history_store.hpp"
#include "unit/api/fake_database.hpp"

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::api::testing {

class FakeHistory final : public storage::HistoryStore {
public:
    explicit FakeHistory(Database& database) : database_(database) {}

    // The cursor of a row is its place in `transactions`, behind a time.
    base::Task<storage::TransactionPage> list_transactions(storage::TransactionFilter filter) override {
        co_await database_.ask();
        asked = filter;
        ++pages;
        storage::TransactionPage page;
        const auto place = filter.cursor.find(',');
        auto next =
            place == std::string::npos ? 0 : std::strtoul(filter.cursor.c_str() + place + 1, nullptr, 10);
        for (; next < transactions.size() && page.transactions.size() < filter.limit; ++next)
            page.transactions.push_back(transactions[next]);
        if (next < transactions.size()) page.next_cursor = cursor_at(next);
        co_return page;
    }
    base::Task<storage::KnownHeights> known_heights(std::string account_id, storage::ListedTable) override {
        co_await database_.ask();
        known_of = std::move(account_id);
        co_return known;
    }
    base::Task<std::vector<storage::Gap>> list_gaps(std::int64_t above, unsigned limit) override {
        co_await database_.ask();
        std::vector<storage::Gap> found;
        for (const auto& gap : gaps)
            if (gap.from_height > above && found.size() < limit) found.push_back(gap);
        co_return found;
    }
    base::Task<std::vector<storage::BackfillOrder>> list_backfills(std::int64_t before,
                                                                   unsigned limit) override {
        co_await database_.ask();
        std::vector<storage::BackfillOrder> found;
        for (const auto& order : backfills)
            if (order.id < before && found.size() < limit) found.push_back(order);
        co_return found;
    }

    static std::string cursor_at(std::size_t place) {
        return "2026-01-01T00:00:00.000000Z," + std::to_string(place);
    }

    std::vector<storage::ListedTransaction> transactions;
    storage::KnownHeights known;
    std::vector<storage::Gap> gaps;
    std::vector<storage::BackfillOrder> backfills;
    storage::TransactionFilter asked;
    std::string known_of;
    unsigned pages = 0;

private:
    Database& database_;
};

}  // namespace receiptd::api::testing
