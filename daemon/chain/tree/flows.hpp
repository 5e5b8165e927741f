// The token flows of a tree, as its callbacks of the token standards tell them one after the other. Pure.
#pragma once

#include "chain/tree/rules.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
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
        u128 gone = 0;  // what it burnt, as there is nobody to give it back to (losses.hpp)
        bool in_scope = true;
    };
    // A callback that succeeded. What it gave back is the effect of the failures that it awaited; if it
    // awaited none, a finding. What it burnt is a finding in any case.
    void add(Told&& told, bool awaited_a_failure);
    // Gives these failures the effects that callbacks told of which they are awaited.
    void give_effects(std::vector<Failure>& failures) const;

    // The effect of all flows together; nullopt: nothing came back.
    std::optional<Effect> effect() const { return is_lost_ ? Effect::tokens_lost : effect_of(total_); }
    // The findings in scope since it was called last.
    std::vector<Finding> take_findings() { return std::exchange(findings_, {}); }

private:
    void lose(const Told& told);

    struct Given {
        Effect effect;
        std::size_t turn;  // of several the last one counts
    };
    boost::unordered_flat_map<std::string, Given> given_;  // by the callback's receipt
    std::size_t turn_ = 0;
    TokenFlow total_;
    bool is_lost_ = false;  // some tokens are gone
    std::vector<Finding> findings_;
};

}  // namespace receiptd::chain
