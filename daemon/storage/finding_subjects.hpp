// Stored findings as what alert rules match.
#pragma once

#include "rule/subject.hpp"
#include "storage/pqxx_shim.hpp"

#include <deque>
#include <string>
#include <vector>

namespace receiptd::storage {

// The subjects of the rows that a question selects, oldest first; they view it.
class FindingSubjects {
public:
    // `source`: rows of findings, as f; `parameters` are its own.
    template <class... Parameters>
    FindingSubjects(pqxx::transaction_base& tx, const std::string& source, const Parameters&... parameters)
        : rows_(shim::query(tx, select(source), parameters...)) {
        for (const auto& row : rows_) add(row);
    }
    FindingSubjects(const FindingSubjects&) = delete;
    FindingSubjects& operator=(const FindingSubjects&) = delete;

    const std::vector<rule::Subject>& subjects() const { return subjects_; }

private:
    static std::string select(const std::string& source);
    void add(const pqxx::row& row);

    pqxx::result rows_;
    std::deque<std::string> arguments_;
    std::vector<rule::Subject> subjects_;
};

}  // namespace receiptd::storage
