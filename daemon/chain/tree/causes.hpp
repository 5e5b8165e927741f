// The first failure that led to another one: back along data edges, then along spawn edges. Pure.
//
// A receipt that awaited failures was led on by the first of them, in the order of its input data ids; else
// by what led to a receipt that it awaited; else by what led to its parent. What led to a failure is carried
// on, so that nothing is known of receipts but what they hand on: those of a tree without a failure cost
// nothing.
#pragma once

#include "chain/tree/rules.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace receiptd::chain {

class Causes {
public:
    using Ids = List<Text>;
    struct Executed {
        std::string_view receipt_id;
        Ids inputs;    // data ids
        Ids outputs;   // data ids
        Ids children;  // receipt ids
    };

    // Receipts of a tree, each after its parent and after those whose data it awaited. Returns the place of
    // the first failure that led to it. `failed_as`: its own place among the tree's failures, if it failed.
    std::optional<std::size_t> add(const Executed& receipt, std::optional<std::size_t> failed_as);
    // Before the first failure nothing needs to be added.
    bool empty() const { return handed_on_.empty(); }

private:
    struct Cause {
        std::size_t first = 0;
        bool failed = false;  // who hands it on failed itself
    };
    std::optional<std::size_t> cause_of(const Executed& receipt) const;
    void hand_on(const Ids& ids, Cause cause);

    boost::unordered_flat_map<std::string, Cause> handed_on_;  // by data id and receipt id
};

}  // namespace receiptd::chain
