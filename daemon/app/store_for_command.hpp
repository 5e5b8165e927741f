// A store for one command: it gives up at once where the database cannot be asked.
#pragma once

#include "app/runtime.hpp"
#include "metrics/registry.hpp"
#include "metrics/storage_series.hpp"
#include "storage/database.hpp"
#include "storage/migrate.hpp"

#include <chrono>

namespace receiptd::app {

inline storage::DatabaseOptions command_options(const config::Settings& settings) {
    auto options = database_options(settings);
    options.patience = std::chrono::milliseconds(0);
    return options;
}

template <class PgStore>
class StoreForCommand {
public:
    explicit StoreForCommand(const config::Settings& settings)
        : series_(registry_), database_(command_options(settings), series_), store_(database_) {
        storage::require_current_schema(command_options(settings));
    }

    PgStore& store() { return store_; }

private:
    metrics::Registry registry_;
    metrics::StorageSeries series_;
    storage::Database database_;
    PgStore store_;
};

}  // namespace receiptd::app
