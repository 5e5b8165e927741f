// [[watch]]: which transactions are watched because of who signs, who receives, what is called. Pure.
#pragma once

#include "chain/tree/sightings.hpp"
#include "config/settings.hpp"

#include <vector>

namespace receiptd::watch {

class Rules {
public:
    explicit Rules(std::vector<config::WatchRule> rules) : rules_(std::move(rules)) {}

    bool empty() const { return rules_.empty(); }
    // The first that matches; nullptr: none.
    const config::WatchRule* match(const chain::SeenTransaction& transaction) const;

private:
    std::vector<config::WatchRule> rules_;
};

}  // namespace receiptd::watch
