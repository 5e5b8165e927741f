// The programs for script.sandbox that the traffic sends (grammar: sandbox/contracts/script.hpp).
#pragma once

#include "sandbox/traffic/profile.hpp"
#include "sandbox/traffic/random.hpp"

#include <string>

namespace receiptd::sandbox::traffic {

// `kind`: one of those that are made with a script (deep_tree, joint_promise, handled_failure,
// callback_fails, detached_failure, heavy_call, wide_fan_out).
std::string script_program(Kind kind, Random& random);

}  // namespace receiptd::sandbox::traffic
