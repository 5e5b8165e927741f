// Expected outcomes travel as Result<T, E>; exceptions are for broken infrastructure.
#pragma once

#include <boost/system/result.hpp>

namespace receiptd::base {

// E must not be convertible to T. value() on an error throws std::logic_error: check first.
template <class T, class E>
using Result = boost::system::result<T, E>;

}  // namespace receiptd::base
