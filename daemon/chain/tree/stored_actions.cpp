#include "chain/tree/stored_actions.hpp"

#include <simdjson.h>

#include <string>

namespace receiptd::chain {

namespace {

namespace ondemand = simdjson::ondemand;

constexpr u128 kMaxDeposit = ~u128{0};

// Errors of the reader are values here: a fault ends the walk where it is.
class Walk {
public:
    explicit Walk(ActionFacts& facts) : facts_(facts) {}

    void actions(ondemand::array list) {
        for (auto item : list) {
            ondemand::value action;
            if (item.get(action) != simdjson::SUCCESS || !this->action(action)) return;
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
        if (name == "DeleteAccount") facts_.deletes_account = true;
        if (facts_.names.size() == 1) facts_.method_name = name;
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
            if (key == "deposit" && value.get(text) == simdjson::SUCCESS) {
                const auto amount = base::parse_u128(text).value_or(0);
                facts_.deposit =
                    amount > kMaxDeposit - facts_.deposit ? kMaxDeposit : facts_.deposit + amount;
            } else if (key == "method_name" && call && value.get(text) == simdjson::SUCCESS) {
                facts_.method_name = text;
            } else if (key == "delegate_action" && depth_ == 0 && value.get(inner) == simdjson::SUCCESS) {
                if (!delegate(inner)) return false;
            }
        }
        return true;
    }

    // {"sender_id":…,"receiver_id":…,"actions":[…]}, or that in {"V2":…} (chain-model.md §6.2).
    bool delegate(ondemand::object& object) {
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
    int depth_ = 0;
    bool called_ = false;
};

}  // namespace

ActionFacts stored_action_facts(std::string_view json) {
    thread_local ondemand::parser parser;
    ActionFacts facts;
    const simdjson::padded_string padded(json);
    ondemand::document document;
    ondemand::array list;
    if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return facts;
    if (document.get_array().get(list) != simdjson::SUCCESS) return facts;
    Walk(facts).actions(list);
    return facts;
}

}  // namespace receiptd::chain
