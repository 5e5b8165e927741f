#include "chain/rows/new_kinds.hpp"

namespace receiptd::chain {

void NewKinds::add(std::string_view what, std::string name) {
    if (names_.size() < kMost) names_.emplace(what, std::move(name));
}

void NewKinds::add(const std::vector<UnreadablePart>& parts) {
    for (const auto& part : parts) add("unreadable", part.shape());
}

void NewKinds::add(const NewKinds& others) {
    for (const auto& [what, name] : others.names_) add(what, name);
}

}  // namespace receiptd::chain
