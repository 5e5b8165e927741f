#include "chain/tree/losses.hpp"

#include "base/checked.hpp"
#include "chain/json/events.hpp"
#include "chain/json/protocol.hpp"
#include "chain/tree/token_moves.hpp"

#include <algorithm>

namespace receiptd::chain {

namespace {

// Gas is burnt at no higher price than it was bought at; prices before protocol 78 rose by less than half
// while a receipt was under way.
constexpr u128 kMargin = 2;

template <class Actions, class NameOf>
bool deletes(const Actions& actions, NameOf name_of) {
    bool found = false;
    for (const auto& action : actions) {
        const Text name = name_of(action);
        if (name == "CreateAccount" || name.find("StateInit") != Text::npos ||
            name.starts_with("DeployGlobalContract"))
            return false;
        found = found || name == "DeleteKey" || name == "DeleteAccount";
    }
    return found;
}

}  // namespace

u128 burnt_in_events(const List<Text>& logs) {
    u128 sum = 0;
    for (const auto log : logs) {
        if (log.find("_burn") == Text::npos) continue;
        const auto event = read_event(log);
        if (!event) continue;
        for (const auto& move : token_moves(*event))
            if (move.to.empty() && !move.from.empty()) sum = base::saturated_add(sum, move.amount);
    }
    return sum;
}

std::string gone_in_words(u128 amount) {
    return base::to_string(amount) +
           " (in the token's smallest unit) could not be given back and was burnt: the sender is gone";
}

bool deletes_keys(const List<Action>& actions) {
    return deletes(actions, [](const Action& action) { return action.name; });
}

bool deletes_keys(const std::vector<std::string>& action_names) {
    return deletes(action_names, [](const std::string& name) { return Text(name); });
}

void Losses::conversion(Gas gas_burnt, u128 tokens_burnt) {
    if (gas_burnt > 0) gas_price_ = tokens_burnt / gas_burnt;
}

u128 Losses::with_keys(Gas gas_burnt, u128 tokens_burnt) {
    if (gas_burnt == 0 || gas_price_ == 0) return 0;
    if (tokens_burnt / gas_burnt / kMargin <= std::max(gas_price_, protocol::kLeastGasPrice)) return 0;
    const auto held = tokens_burnt - gas_burnt * gas_price_;
    with_keys_ = base::saturated_add(with_keys_, held);
    return held;
}

void Losses::add(Finding& finding, bool of_gas) {
    finding.expected = of_gas && deleted_.contains(finding.contract_id);
    if (!finding.expected) lost_ = base::saturated_add(lost_, finding.burnt.value_or(0));
}

}  // namespace receiptd::chain
