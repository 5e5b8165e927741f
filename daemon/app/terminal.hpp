// How standard output looks.
#pragma once

#include "chain/tree/text.hpp"

namespace receiptd::app {

// On a terminal: its width, and colours unless NO_COLOR is set or TERM is "dumb". Else neither.
chain::TreeStyle style_of_output();

}  // namespace receiptd::app
