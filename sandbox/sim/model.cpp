#include "sandbox/sim/model.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace receiptd::sandbox::sim {

Failure::Failure(Json error) : error_(std::make_shared<const Json>(std::move(error))) {}

}  // namespace receiptd::sandbox::sim
