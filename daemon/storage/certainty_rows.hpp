// How tables and rows keep whether the end of a watch is proven, and when its transaction may be signed anew.
#pragma once

#include "chain/tree/finding.hpp"
#include "storage/sql_time.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

// Three columns of `table` ("f."; empty: the only one), as certainty_of() reads them from `column` on.
inline std::string certainty_columns(const std::string& table = {}) {
    return table + "conclusive, " + table + "safe_to_resign_after_height, " +
           microseconds_of(table + "safe_to_resign_estimated_at");
}
// nullopt: it is not about a watch.
inline std::optional<chain::Certainty> certainty_of(const pqxx::row& row, int column) {
    if (row[column].is_null()) return std::nullopt;
    chain::Certainty certainty;
    certainty.conclusive = row[column].as<bool>();
    certainty.safe_to_resign_after_height = shim::optional_of<chain::BlockHeight>(row[column + 1]);
    if (!row[column + 2].is_null()) certainty.estimated_at = wall_time(row[column + 2]);
    return certainty;
}

// Parameters for unnest(): 't' or 'f', and a height or ''. The time is estimated_time() of the height.
struct CertaintyColumns {
    void add(const chain::Certainty& certainty) {
        const auto& height = certainty.safe_to_resign_after_height;
        conclusive.emplace_back(certainty.conclusive ? "t" : "f");
        safe_heights.push_back(height ? std::to_string(*height) : std::string());
    }
    std::vector<std::string> conclusive, safe_heights;
};

}  // namespace receiptd::storage
