// The token flows of a tree, as its callbacks of the token standards tell them one after the other. Pure.
#pragma once

#include "chain/tree/rules.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::chain {

class Flows {
public:
    struct Told {
        Finding finding;  // its receipt, without ids of the tree
        Text args_json;
        Text value_json;
        bool in_scope = true;
    };
    // A callback that succeeded. What it gave back of a failure is that failure's effect; of none, a finding.
    void add(Told&& told, std::vector<Failure>& failures);

    // The effect of all flows together; nullopt: nothing came back.
    std::optional<Effect> effect() const { return effect_of(total_); }
    // The findings in scope since it was called last.
    std::vector<Finding> take_findings() { return std::exchange(findings_, {}); }

private:
    TokenFlow total_;
    std::vector<Finding> findings_;
};

}  // namespace receiptd::chain
