// The SQL files of migrations/ and schema/, compiled into the program in name order.
#pragma once

#include <string>
#include <vector>

namespace receiptd::storage {

struct SqlFile {
    std::string name;  // "0001_history.sql"
    std::string text;
};

const std::vector<SqlFile>& migration_files();
const std::vector<SqlFile>& schema_files();

}  // namespace receiptd::storage
