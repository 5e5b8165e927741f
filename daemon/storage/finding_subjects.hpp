// Stored findings as what alert rules match.
#pragma once

#include "storage/news.hpp"
#include "storage/sql_time.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace receiptd::storage {

// The events of the rows that a question selects, oldest first; they view it.
class FindingSubjects {
public:
    // The subjects have what the rows of findings say, or also the receipt and the end of the transaction,
    // which cost several times as much to read.
    enum class Detail : std::uint8_t { of_findings, all };

    // `source`: rows of findings and of next_telling(), as f, all of which lie in the `span`, its parameters
    // 1 and 2; `parameters` are the others.
    template <class... Parameters>
    FindingSubjects(pqxx::transaction_base& tx, Detail detail, const TimeSpan& span,
                    const std::string& source, const Parameters&... parameters)
        : rows_(shim::query(tx, select(detail, source), span.since, span.until, parameters...)) {
        for (const auto& row : rows_) add(row);
    }
    FindingSubjects(const FindingSubjects&) = delete;
    FindingSubjects& operator=(const FindingSubjects&) = delete;

    const std::vector<Event>& events() const { return events_; }

private:
    static std::string select(Detail detail, const std::string& source);
    void add(const pqxx::row& row);

    pqxx::result rows_;
    std::deque<std::string> arguments_;
    std::vector<Event> events_;
};

}  // namespace receiptd::storage
