// Endpoints that take the default rule.
#pragma once

#include "storage/delivery_store.hpp"

#include <string>
#include <vector>

namespace receiptd::test {

inline std::vector<storage::ServedEndpoint> served(const std::vector<std::string>& names) {
    std::vector<storage::ServedEndpoint> endpoints;
    for (const auto& name : names) endpoints.push_back({name, {"default"}});
    return endpoints;
}

}  // namespace receiptd::test
