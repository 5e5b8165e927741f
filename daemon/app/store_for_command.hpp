// A store for one command: it gives up at once where the database cannot be asked.
#pragma once

#include "app/runtime.hpp"
#include "metrics/registry.hpp"
#include "metrics/storage_series.hpp"
#include "storage/database.hpp"
#include "storage/migrate.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <utility>

namespace receiptd::app {

template <class T>
T wait_for(base::Task<T> task) {
    boost::asio::io_context context{1};
    auto future = boost::asio::co_spawn(context, std::move(task), boost::asio::use_future);
    context.run();
    return future.get();
}

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
