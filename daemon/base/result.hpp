// Expected outcomes travel as Result<T, E>; exceptions are for broken infrastructure.
#pragma once

#include <boost/system/result.hpp>

namespace receiptd::base {

// E must not be convertible to T. Check, then take the value with * or ->; value() does not compile
// for error types of our own.
template <class T, class E>
using Result = boost::system::result<T, E>;

}  // namespace receiptd::base
