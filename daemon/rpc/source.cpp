#include "rpc/source.hpp"

namespace receiptd::rpc {

std::vector<chain::Receipt> TreeSource::Tree::bodies() const {
    auto all = status.value.receipts.value_or(std::vector<chain::Receipt>{});
    for (const auto& extra : extra_receipts) all.push_back(extra.receipt);
    return all;
}

}  // namespace receiptd::rpc
