#include "storage/signed_facts.hpp"

#include "base/checked.hpp"
#include "chain/tree/readable_args.hpp"
#include "chain/wire/base64.hpp"
#include "chain/wire/transaction.hpp"
#include "rule/words.hpp"

#include <type_traits>
#include <variant>

namespace receiptd::storage {
namespace {

namespace wire = chain::wire;

// Adds up the deposits, those inside a Delegate action, too.
base::u128 deposit_of_signed(const std::vector<wire::Action>& actions) {
    base::u128 all = 0;
    for (const auto& action : actions)
        all = base::saturated_add(all, std::visit(
                                           []<class Kind>(const Kind& kind) -> base::u128 {
                                               if constexpr (requires { kind.deposit; })
                                                   return kind.deposit;
                                               else if constexpr (requires { kind.delegate_action; })
                                                   return deposit_of_signed(kind.delegate_action.actions);
                                               else
                                                   return 0;
                                           },
                                           action.value));
    return all;
}

void take_call(const wire::FunctionCall& call, chain::ActionFacts& facts) {
    facts.method_name = call.method_name;
    facts.args_json = chain::readable_args(chain::base64_encode(call.args)).value_or(chain::Text());
}

chain::ActionFacts facts_of_signed(const std::vector<wire::Action>& actions) {
    chain::ActionFacts facts;
    bool is_called = false;
    for (const auto& [value] : actions) {
        facts.names.emplace_back(rule::action_name(static_cast<rule::Action>(value.index())));
        if (const auto* call = std::get_if<wire::FunctionCall>(&value); call && !is_called) {
            is_called = true;
            take_call(*call, facts);
        }
        std::visit(
            [&]<class Kind>(const Kind& kind) {
                if constexpr (requires { kind.delegate_action; })
                    if (!facts.delegate)
                        facts.delegate = {kind.delegate_action.sender_id, kind.delegate_action.receiver_id};
            },
            value);
    }
    facts.deposit = deposit_of_signed(actions);
    return facts;
}

}  // namespace

std::optional<SignedFacts> signed_facts(std::string_view signed_tx_base64) {
    const auto read = wire::decode_signed_transaction_base64(signed_tx_base64);
    if (!read) return std::nullopt;
    const auto& transaction = read->transaction;
    return SignedFacts{transaction.receiver_id, facts_of_signed(transaction.actions)};
}

}  // namespace receiptd::storage
