// Whether a message has what its schema promises. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace receiptd::alert {

// The required members ("data.finding.kind") that a body lacks or has with a value of another type. Of a type
// that this version does not know nothing is required.
std::vector<std::string> faults_of(const nlohmann::ordered_json& body);

}  // namespace receiptd::alert
