#include "storage/days_of.hpp"

namespace receiptd::storage {

DaysOf::DaysOf(pqxx::transaction_base& tx, const std::vector<std::string>& ids)
    : DaysOf(shim::query(tx, "SELECT from_time, to_time FROM days_of($1::text[])", text_array(ids))) {}

DaysOf DaysOf::trees_of(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes) {
    return DaysOf(shim::query(tx, "SELECT from_time, to_time FROM days_of(trees_of_hashes($1::text[]))",
                              text_array(tx_hashes)));
}

DaysOf::DaysOf(const pqxx::result& times) {
    for (const auto& row : times) {
        from_.push_back(row[0].as<std::string>());
        to_.push_back(row[1].as<std::string>());
    }
}

std::string DaysOf::have(const std::string& time_column) const {
    std::string condition;
    for (std::size_t i = 0; i < from_.size(); ++i)
        condition +=
            (i == 0 ? "" : " OR ") + time_column + " BETWEEN '" + from_[i] + "' AND '" + to_[i] + "'";
    return condition.empty() ? "(false)" : "(" + condition + ")";
}

}  // namespace receiptd::storage
