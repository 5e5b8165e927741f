#include "app/lock_warning.hpp"

#include "base/log.hpp"

namespace receiptd::app {

base::Task<std::string> lock_warning(storage::Database& database) {
    const auto locks = co_await database.lock_room();
    if (!locks.is_tight()) co_return std::string();
    log::warn("the database may run out of locks", {{"because", locks.in_words()}});
    co_return locks.in_words();
}

}  // namespace receiptd::app
