// Task<T>: the coroutine type of every asynchronous function. Named here, so that a header can declare such
// functions without Asio; a source that holds a coroutine includes base/coroutine.hpp.
#pragma once

namespace boost::asio {

class any_io_executor;
class thread_pool;
template <class T, class Executor>
class awaitable;

}  // namespace boost::asio

namespace receiptd::base {

namespace asio = boost::asio;

template <class T = void>
using Task = asio::awaitable<T, asio::any_io_executor>;

}  // namespace receiptd::base
