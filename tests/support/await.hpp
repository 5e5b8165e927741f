// Runs a task to its end.
#pragma once

#include "base/coroutine.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <future>
#include <utility>

namespace receiptd::test {

template <class T>
T await(base::Task<T> task) {
    boost::asio::io_context io;
    auto future = boost::asio::co_spawn(io, std::move(task), boost::asio::use_future);
    io.run();
    return future.get();
}

}  // namespace receiptd::test
