// Applies lists of actions as a receipt would, without the chain around it.
#pragma once

#include "sandbox/sim/actions.hpp"

#include "records.hpp"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

namespace receiptd::sandbox::sim::records {

struct ActionStage : testing::Test {
    // The end of a receipt: the first ActionErrorKind (null: all went well) and what it left.
    struct Result {
        Json error;
        std::vector<Receipt> new_receipts;
        Gas gas_burnt = 0;
        Gas gas_used = 0;
        u128 tokens_burnt = 0;
        u128 keys_burnt = 0;
    };

    void SetUp() override {
        make_account(state, "alice.test");
        make_account(state, "bob.test");
        block.height = 200;
        block.gas_price = 100'000'000;
    }

    // All or nothing, as a receipt from `predecessor` to `receiver`.
    Result run(const std::string& predecessor, const std::string& receiver,
               const std::vector<wire::Action>& actions) {
        Receipt receipt;
        receipt.predecessor_id = predecessor;
        receipt.receiver_id = receiver;
        ActionReceipt body;
        body.signer_id = signer_id;
        body.signer_public_key = signer_key;
        body.gas_price = 123;
        body.actions = actions;
        StateUpdate update(state);
        ActionFrame frame{receipt, body, block, update, predecessor, predecessor == kSystemAccount, {}};
        Result result;
        for (const wire::Action& action : actions) {
            auto error = check_action_allowed(frame, action, actions.size() == 1);
            if (!error) error = apply_action(frame, action);
            if (!error) continue;
            result.error = *error;
            return result;
        }
        update.commit(block.height);
        result.new_receipts = std::move(frame.new_receipts);
        result.gas_burnt = frame.gas_burnt;
        result.gas_used = frame.gas_used;
        result.tokens_burnt = frame.tokens_burnt;
        result.keys_burnt = frame.keys_burnt;
        return result;
    }
    Json error_of(const std::string& predecessor, const std::string& receiver,
                  const std::vector<wire::Action>& actions) {
        return run(predecessor, receiver, actions).error;
    }
    // By the account itself.
    Json own(const std::string& account, const std::vector<wire::Action>& actions) {
        return error_of(account, account, actions);
    }
    u128 amount(const std::string& id) { return state.account(id)->amount; }
    void set_amount(const std::string& id, u128 amount, u128 locked = 0) {
        change(state, kGenesis, [&](StateUpdate& u) { u.set_account(id, account_with(amount, locked)); });
    }

    State state;
    BlockContext block;
    std::string signer_id = "relayer.test";
    PublicKey signer_key = public_of("relayer.test");
};

inline wire::Action transfer(u128 amount) { return {wire::Transfer{amount}}; }

}  // namespace receiptd::sandbox::sim::records
