#include "chain/tree/facts.hpp"

#include "base/ascii.hpp"
#include "base/checked.hpp"
#include "chain/tree/effect.hpp"
#include "chain/tree/losses.hpp"
#include "chain/tree/readable_args.hpp"
#include "chain/tree/silence.hpp"
#include "chain/tree/user.hpp"
#include "chain/tree/wallet.hpp"
#include "chain/wire/base64.hpp"

#include <simdjson.h>

#include <array>
#include <utility>

namespace receiptd::chain {

namespace {

namespace ondemand = simdjson::ondemand;

// Reads actions as rows/args_json.hpp writes them. A fault ends the walk where it is.
class StoredActions {
public:
    explicit StoredActions(ActionFacts& facts) : facts_(facts) {}

    void actions(ondemand::array list) {
        for (auto item : list) {
            ondemand::value action;
            if (item.get(action) != simdjson::SUCCESS || !this->action(action)) break;
        }
    }

private:
    bool action(ondemand::value& value) {
        std::string_view name;
        if (value.get(name) == simdjson::SUCCESS) {
            named(name);
            return true;
        }
        ondemand::object object;
        if (value.get(object) != simdjson::SUCCESS) return false;
        for (auto field : object) {
            if (field.unescaped_key().get(name) != simdjson::SUCCESS) return false;
            const bool call = named(name);
            ondemand::object payload;
            if (field.value().get(payload) != simdjson::SUCCESS) return false;
            return members(payload, call);
        }
        return false;
    }

    // True for the first function call.
    bool named(std::string_view name) {
        if (depth_ > 0) return false;
        facts_.names.emplace_back(name);
        if (facts_.names.size() == 1) facts_.method_name = name;
        adds_key_ = name == "AddKey";
        if (adds_key_) facts_.keys.emplace_back().action_index = facts_.names.size() - 1;
        if (name != "FunctionCall" || called_) return false;
        called_ = true;
        return true;
    }

    bool members(ondemand::object& payload, bool call) {
        for (auto field : payload) {
            std::string_view key;
            if (field.unescaped_key().get(key) != simdjson::SUCCESS) return false;
            ondemand::value value;
            if (field.value().get(value) != simdjson::SUCCESS) return false;
            std::string_view text;
            ondemand::object inner;
            if (adds_key_ && depth_ == 0) {
                if (!key_member(key, value)) return false;
            } else if (key == "deposit" && value.get(text) == simdjson::SUCCESS) {
                facts_.deposit = base::saturated_add(facts_.deposit, base::parse_u128(text).value_or(0));
            } else if (key == "method_name" && call && value.get(text) == simdjson::SUCCESS) {
                facts_.method_name = text;
            } else if (key == "beneficiary_id" && depth_ == 0 && value.get(text) == simdjson::SUCCESS) {
                facts_.beneficiary_id = text;
            } else if (key == "args_json" && call) {
                if (simdjson::to_json_string(value).get(text) != simdjson::SUCCESS) return false;
                facts_.args_json = text;
            } else if (key == "delegate_action" && depth_ == 0 && value.get(inner) == simdjson::SUCCESS) {
                if (!delegate(inner)) return false;
            }
        }
        return true;
    }

    bool key_member(std::string_view key, ondemand::value& value) {
        std::string_view text;
        ondemand::object access_key;
        if (key == "public_key" && value.get(text) == simdjson::SUCCESS) facts_.keys.back().public_key = text;
        if (key != "access_key") return true;
        if (value.get(access_key) != simdjson::SUCCESS) return false;
        for (auto field : access_key) {
            if (field.unescaped_key().get(text) != simdjson::SUCCESS) return false;
            if (text == "permission" && field.value().get(value) == simdjson::SUCCESS) permission(value);
        }
        return true;
    }

    // "FullAccess", or an object with one member (chain-model.md §6.1).
    void permission(ondemand::value& value) {
        std::string_view name;
        ondemand::object object;
        if (value.get(name) != simdjson::SUCCESS) {
            if (value.get(object) != simdjson::SUCCESS) return;
            for (auto field : object)
                if (field.unescaped_key().get(name) != simdjson::SUCCESS) return;
        }
        auto& access = facts_.keys.back().access;
        if (name == "FullAccess" || name == "GasKeyFullAccess") access = "full";
        if (name == "FunctionCall" || name == "GasKeyFunctionCall") access = "function_call";
    }

    // {"sender_id":…,"receiver_id":…,"actions":[…]}, or that in {"V2":…} (chain-model.md §6.2).
    bool delegate(ondemand::object& object) {
        constexpr int kDeepest = 8;  // the chain has no Delegate action in another one
        if (nested_ == kDeepest) return false;
        ++nested_;
        const bool read = delegate_members(object);
        --nested_;
        return read;
    }

    bool delegate_members(ondemand::object& object) {
        DelegateFacts facts;
        for (auto field : object) {
            std::string_view key;
            if (field.unescaped_key().get(key) != simdjson::SUCCESS) return false;
            ondemand::value value;
            if (field.value().get(value) != simdjson::SUCCESS) return false;
            std::string_view text;
            ondemand::array list;
            ondemand::object versioned;
            if (key == "sender_id" && value.get(text) == simdjson::SUCCESS) {
                facts.sender_id = text;
            } else if (key == "receiver_id" && value.get(text) == simdjson::SUCCESS) {
                facts.receiver_id = text;
            } else if (key == "actions" && value.get(list) == simdjson::SUCCESS) {
                ++depth_;
                actions(list);
                --depth_;
            } else if (key == "V2" && value.get(versioned) == simdjson::SUCCESS) {
                return delegate(versioned);
            }
        }
        if (!facts_.delegate && !facts.sender_id.empty()) facts_.delegate = std::move(facts);
        return true;
    }

    ActionFacts& facts_;
    int depth_ = 0;   // of actions in actions
    int nested_ = 0;  // Delegate actions, and versions of them, in one another
    bool called_ = false;
    bool adds_key_ = false;
};

constexpr std::array<std::pair<StatusKind, Text>, 4> kStatuses{{
    {StatusKind::success_value, "success_value"},
    {StatusKind::success_receipt_id, "success_receipt_id"},
    {StatusKind::failure, "failure"},
    {StatusKind::unknown, "unknown"},
}};

}  // namespace

Text status_name(StatusKind status) {
    for (const auto& [each, name] : kStatuses)
        if (each == status) return name;
    return {};
}

StatusKind parse_status(Text name) {
    for (const auto& [status, text] : kStatuses)
        if (text == name) return status;
    return StatusKind::unknown;
}

Text called_method(const List<Action>& actions) {
    for (const auto& action : actions)
        if (action.kind == ActionKind::function_call) return action.method_name;
    return {};
}

Text called_method_or_action(const List<Action>& actions) {
    const auto method = called_method(actions);
    return method.empty() && !actions.empty() ? actions.front().name : method;
}

namespace {

AddedKey added_key(const Action& action, std::size_t index) {
    const auto facts = stored_action_facts("[" + std::string(action.json) + "]");
    auto key = facts.keys.empty() ? AddedKey() : facts.keys.front();
    key.action_index = index;
    return key;
}

}  // namespace

ActionFacts action_facts(const List<Action>& actions) {
    ActionFacts facts;
    for (const auto& action : actions) {
        facts.names.emplace_back(action.name);
        if (action.kind == ActionKind::delete_account) facts.beneficiary_id = action.beneficiary_id;
        const bool delegates = action.kind == ActionKind::delegate || action.kind == ActionKind::delegate_v2;
        if (delegates && !facts.delegate)
            facts.delegate = DelegateFacts{std::string(action.delegate_sender_id),
                                           std::string(action.delegate_receiver_id)};
    }
    facts.method_name = called_method_or_action(actions);
    facts.args_json = called_args(actions);
    facts.deposit = deposit_of(actions);
    for (std::size_t i = 0; i < actions.size(); ++i)
        if (actions[i].kind == ActionKind::add_key) facts.keys.push_back(added_key(actions[i], i));
    return facts;
}

ActionFacts stored_action_facts(std::string_view json) {
    thread_local ondemand::parser parser;
    ActionFacts facts;
    const simdjson::padded_string padded(json);
    ondemand::document document;
    ondemand::array list;
    if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return facts;
    if (document.get_array().get(list) != simdjson::SUCCESS) return facts;
    StoredActions(facts).actions(list);
    return facts;
}

void ReceiptFacts::take(ActionFacts&& actions) {
    action_names = std::move(actions.names);
    method_name = std::move(actions.method_name);
    deposit = actions.deposit;
    beneficiary_id = std::move(actions.beneficiary_id);
    delegate = std::move(actions.delegate);
    if (is_token_callback(method_name)) token_args = std::move(actions.args_json);
}

ReceiptFacts receipt_facts(const Receipt& receipt) {
    ReceiptFacts facts;
    facts.receipt_id = receipt.receipt_id;
    facts.predecessor_id = receipt.predecessor_id;
    facts.receiver_id = receipt.receiver_id;
    facts.signer_id = receipt.signer_id;
    facts.input_data_ids.assign(receipt.input_data_ids.begin(), receipt.input_data_ids.end());
    for (const auto& receiver : receipt.output_data_receivers)
        facts.output_data_ids.emplace_back(receiver.data_id);
    facts.is_promise_yield = receipt.is_promise_yield;
    facts.take(action_facts(receipt.actions));
    return facts;
}

u128 deposit_of(const List<Action>& actions) {
    u128 all = 0;
    for (const auto& action : actions)
        all = base::saturated_add(base::saturated_add(all, action.deposit),
                                  deposit_of(action.delegate_actions));
    return all;
}

std::string short_value(Text base64) {
    constexpr std::size_t kLongest = 4'096;
    std::string value;
    if (base64.size() <= kLongest) base64_decode_into(base64, value);
    return value;
}

std::string called_args(const List<Action>& actions) {
    for (const auto& action : actions) {
        if (action.kind != ActionKind::function_call) continue;
        return std::string(base::trimmed(readable_args(action.args).value_or(Text()), " \n\r\t"));
    }
    return {};
}

OutcomeFacts outcome_facts(const Outcome& outcome, std::optional<ExecutedAt> at) {
    OutcomeFacts facts;
    facts.id = outcome.id;
    facts.executor_id = outcome.executor_id;
    facts.status = outcome.status.kind;
    facts.receipt_ids.assign(outcome.receipt_ids.begin(), outcome.receipt_ids.end());
    facts.returned_id = outcome.status.success_receipt_id;
    facts.value = short_value(outcome.status.success_value);
    facts.wallet_refusal = wallet_refusal(outcome.executor_id, outcome.status);
    facts.speaks = speaks(outcome);
    facts.gone = burnt_in_events(outcome.logs);
    if (facts.status == StatusKind::failure) facts.failure = classify_failure(outcome.status.failure_json);
    facts.gas_burnt = outcome.gas_burnt;
    facts.tokens_burnt = outcome.tokens_burnt;
    facts.at = at;
    return facts;
}

void TransactionFacts::take(ActionFacts&& actions) {
    deposit = actions.deposit;
    delegate = std::move(actions.delegate);
    action_names = std::move(actions.names);
    method_name = std::move(actions.method_name);
}

std::string TransactionFacts::named_user() const {
    return std::string(
        relayed_user(signer_id, receiver_id, delegate ? Text(delegate->sender_id) : Text(), method_name));
}

TransactionFacts transaction_facts(const SignedTransaction& transaction) {
    TransactionFacts facts;
    facts.tx_hash = transaction.hash;
    facts.signer_id = transaction.signer_id;
    facts.receiver_id = transaction.receiver_id;
    facts.take(action_facts(transaction.actions));
    return facts;
}

}  // namespace receiptd::chain
