#include "app/wait_for.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

namespace receiptd::app {

void run_to_its_end(base::Task<void> task) {
    boost::asio::io_context context{1};
    auto end = boost::asio::co_spawn(context, std::move(task), boost::asio::use_future);
    context.run();
    end.get();
}

}  // namespace receiptd::app
