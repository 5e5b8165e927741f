// Names of the chain that this version does not know, as a newer protocol brings them. What has such a name
// is stored as it came, and judged as far as it is known.
#pragma once

#include "chain/json/decode_error.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace receiptd::chain {

class NewKinds {
public:
    // A host that makes names up costs no more.
    static constexpr std::size_t kMost = 32;

    // `what`: "action", "error", "receipt", "unreadable". `name`: as class_of_variant() makes it, or
    // UnreadablePart::shape().
    void add(std::string_view what, std::string name);
    void add(const std::vector<UnreadablePart>& parts);
    void add(const NewKinds& others);
    bool empty() const { return names_.empty(); }

    using Name = std::pair<std::string, std::string>;  // what, name
    const std::set<Name>& names() const { return names_; }

private:
    std::set<Name> names_;
};

}  // namespace receiptd::chain
