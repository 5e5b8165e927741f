#include "chain/tree/causes.hpp"

namespace receiptd::chain {

std::optional<std::size_t> Causes::cause_of(const Executed& receipt) const {
    std::optional<std::size_t> cause;
    for (const auto data_id : receipt.inputs) {
        const auto found = handed_on_.find(std::string(data_id));
        if (found == handed_on_.end()) continue;
        if (found->second.failed) return found->second.first;
        if (!cause) cause = found->second.first;
    }
    if (cause) return cause;
    const auto parents = handed_on_.find(std::string(receipt.receipt_id));
    return parents == handed_on_.end() ? std::nullopt : std::optional(parents->second.first);
}

// The last one that carries a data id counts: a receipt that returned another one left its data to it.
void Causes::hand_on(const Ids& ids, Cause cause) {
    for (const auto id : ids) handed_on_.insert_or_assign(std::string(id), cause);
}

std::optional<std::size_t> Causes::add(const Executed& receipt, std::optional<std::size_t> failed_as) {
    if (empty() && !failed_as) return std::nullopt;
    const auto cause = cause_of(receipt);
    if (!cause && !failed_as) return std::nullopt;
    const Cause handed_on{cause ? *cause : *failed_as, failed_as.has_value()};
    hand_on(receipt.outputs, handed_on);
    hand_on(receipt.children, handed_on);
    return cause;
}

}  // namespace receiptd::chain
