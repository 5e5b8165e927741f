// Sums that say when they do not fit, under the sandbox's names.
#pragma once

#include "base/checked.hpp"

namespace receiptd::sandbox::sim {

using base::checked_add;
using base::checked_multiply;

}  // namespace receiptd::sandbox::sim
