// The headers that a source with coroutines needs.
//
// Rules of the house (tests/checks/check_coroutine_pitfalls.py refuses the rest): g++ 12 destroys
// aggregate temporaries in a co_await expression twice, so name an object and move it; create a
// lambda for offload() only in an ordinary function that returns Task<T>.
#pragma once

#include "base/task.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
