// Stored results of transactions as what alert rules of kind "verdict" match.
#pragma once

#include "storage/news.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/sql_time.hpp"

#include <deque>
#include <string>
#include <vector>

namespace receiptd::storage {

// The events of the results of these transactions, by the times of their ends; they view it.
class VerdictSubjects {
public:
    // `included`: the times between which the blocks of the transactions lie.
    VerdictSubjects(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes,
                    const TimeSpan& included);
    VerdictSubjects(const VerdictSubjects&) = delete;
    VerdictSubjects& operator=(const VerdictSubjects&) = delete;

    const std::vector<Event>& events() const { return events_; }

private:
    void add(const pqxx::row& row);

    pqxx::result rows_;
    std::deque<std::string> texts_;
    std::vector<Event> events_;
};

}  // namespace receiptd::storage
