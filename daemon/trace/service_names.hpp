// Names of services: backends keep series and a box for each, so there are only so many. Pure.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace receiptd::trace {

// The service of what is no call of a contract: the transaction, its stages, transfers, refunds.
inline constexpr std::string_view kChainService = "near";
inline constexpr std::string_view kOtherContracts = "other contracts";

// The first contracts have their own names, all later ones share kOtherContracts.
class ServiceNames {
public:
    explicit ServiceNames(std::size_t most) : most_(most) {}

    // A view that lives as long as this, or as `contract_id`.
    std::string_view of(std::string_view contract_id) {
        if (names_.contains(contract_id)) return contract_id;
        if (names_.size() >= most_) return kOtherContracts;
        return *names_.emplace(contract_id).first;
    }

private:
    std::size_t most_;
    std::set<std::string, std::less<>> names_;
};

}  // namespace receiptd::trace
