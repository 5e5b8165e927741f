// [[watch]]: which transactions are watched because of who signs, who receives, what is called. Pure.
#pragma once

#include "chain/tree/sightings.hpp"
#include "config/settings.hpp"

#include <optional>
#include <vector>

namespace receiptd::watch {

class Rules {
public:
    explicit Rules(std::vector<config::WatchRule> rules) : rules_(std::move(rules)) {}

    bool empty() const { return rules_.empty(); }
    struct Match {
        const config::WatchRule* rule = nullptr;
        bool by_claim = false;  // because of the account that the transaction names: it need not have signed
    };
    // The first rule that its signer meets, else the first that the named user does. nullopt: none.
    std::optional<Match> match(const chain::SeenTransaction& transaction) const;

private:
    std::vector<config::WatchRule> rules_;
};

}  // namespace receiptd::watch
