// An Interest that asks for what receipts do, for tests.
#pragma once

#include "chain/tree/happening.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::chain::testing {

// Asks for the kinds where one of the accounts takes part; without accounts: always.
class Asked final : public Interest {
public:
    explicit Asked(HappeningKinds kinds, std::set<std::string, std::less<>> accounts = {})
        : kinds_(kinds), accounts_(std::move(accounts)) {}
    HappeningKinds kinds() const override { return kinds_; }
    HappeningKinds kinds_for(std::span<const Text> accounts) const override {
        const auto listed = [&](Text account) { return accounts_.contains(account); };
        return accounts_.empty() || std::any_of(accounts.begin(), accounts.end(), listed) ? kinds_ : 0;
    }

private:
    HappeningKinds kinds_;
    std::set<std::string, std::less<>> accounts_;
};

inline constexpr HappeningKinds kAnything = bit(HappeningKind::event) | bit(HappeningKind::transfer) |
                                            bit(HappeningKind::key_added) | bit(HappeningKind::success);

inline std::shared_ptr<const Interest> asked(HappeningKinds kinds,
                                             std::set<std::string, std::less<>> accounts = {}) {
    return std::make_shared<const Asked>(kinds, std::move(accounts));
}

inline std::vector<std::string> ids_of(const std::vector<Happening>& happenings) {
    std::vector<std::string> ids;
    for (const auto& happening : happenings) ids.push_back(happening.cause_id);
    std::sort(ids.begin(), ids.end());
    return ids;
}

}  // namespace receiptd::chain::testing
