// The built-in contracts on the real execution model: three shards, a block per step, and what a
// transaction came to.
#pragma once

#include "sandbox/contracts/builtin.hpp"
#include "sandbox/contracts/ft.hpp"
#include "sandbox/sim/apply.hpp"
#include "sandbox/sim/limits.hpp"
#include "sandbox/sim/secret_key.hpp"
#include "sandbox/sim/state_update.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace receiptd::sandbox {

inline constexpr sim::u128 kNear = sim::u128{1'000'000'000'000} * 1'000'000'000'000U;

class SmallChain {
public:
    SmallChain() {
        add_builtin_contracts(contracts_);
        shards_.resize(3);
        block_.height = 100;
        block_.gas_price = 100'000'000;
        block_.yield_timeout_blocks = 20;
        for (const char* id : {"alice.sandbox", "bob.sandbox"}) add_account(id, "");
        for (const auto& contract : kBuiltinContracts)
            add_account(std::string(contract.account_id), contract.code);
        sim::StateUpdate update(state_of("ft.sandbox"));
        for (const auto& [key, value] : ft_initial_records({{"alice.sandbox", 1000},
                                                            {"bob.sandbox", 0},
                                                            {"receiver.sandbox", 0},
                                                            {"script.sandbox", 0}})) {
            update.set_data("ft.sandbox", key, value);
        }
        update.commit(block_.height);
        for (Shard& shard : shards_) add_wallet(shard.state);
    }

    // One call, by alice, to its last receipt.
    struct Tree {
        sim::Status status;  // of the transaction as a whole
        std::vector<std::pair<std::string, sim::Outcome>>
            receipts;                       // by execution, without refunds: method, outcome
        std::vector<std::string> logs;      // of all of them
        std::vector<std::string> failures;  // "METHOD: ERROR" of those that failed

        std::string value() const {
            const auto* success = std::get_if<sim::SuccessValue>(&status);
            return success ? std::string(success->value.begin(), success->value.end()) : "no value";
        }
        bool succeeded() const { return std::holds_alternative<sim::SuccessValue>(status); }
    };
    Tree call(const std::string& contract, const std::string& method, const std::string& args,
              sim::u128 deposit = 0, sim::Gas gas = 300 * sim::kTera) {
        const auto hash = send("alice.sandbox", contract,
                               {{sim::wire::FunctionCall{method, {args.begin(), args.end()}, gas, deposit}}});
        for (std::size_t blocks = 0; blocks < 60; ++blocks) step();
        return tree(hash);
    }
    Tree run(const std::string& program) { return call("script.sandbox", "run", program); }

    sim::CryptoHash send(const std::string& signer, const std::string& receiver,
                         std::vector<sim::wire::Action> actions) {
        const auto key = key_of(signer);
        sim::wire::SignedTransaction transaction;
        sim::wire::Transaction& body = transaction.transaction;
        body.signer_id = signer;
        body.receiver_id = receiver;
        body.public_key = key.public_key();
        body.nonce.nonce = ++nonce_;
        body.actions = std::move(actions);
        const auto hash = sim::wire::transaction_hash(body);
        transaction.signature = key.sign(hash.view());
        shards_[shard_of(signer)].transactions.push_back(std::move(transaction));
        return hash;
    }

    void step() {
        ++block_.height;
        std::vector<std::vector<sim::Receipt>> incoming(shards_.size());
        for (Shard& shard : shards_) {
            for (sim::Receipt& receipt : std::exchange(shard.outgoing, {})) {
                incoming[shard_of(receipt.receiver_id)].push_back(std::move(receipt));
            }
        }
        for (std::size_t i = 0; i < shards_.size(); ++i) apply(i, std::move(incoming[i]));
    }

    Tree tree(const sim::CryptoHash& hash) const {
        Tree tree{outcomes_.at(hash).status, {}, {}, {}};
        while (const auto* next = std::get_if<sim::SuccessReceiptId>(&tree.status)) {
            const auto found = outcomes_.find(next->receipt_id);
            if (found == outcomes_.end()) break;
            tree.status = sim::Status(found->second.status);
        }
        std::set<sim::CryptoHash> known{outcomes_.at(hash).receipt_ids.begin(),
                                        outcomes_.at(hash).receipt_ids.end()};
        for (const sim::ExecutedReceipt& done : executed_) {
            if (!known.contains(done.receipt.receipt_id)) continue;
            known.insert(done.outcome.receipt_ids.begin(), done.outcome.receipt_ids.end());
            if (done.receipt.predecessor_id == sim::kSystemAccount) continue;
            add(tree, done);
        }
        return tree;
    }

    sim::ViewResult view(const std::string& account_id, const std::string& method, const std::string& args) {
        return sim::call_view(state_of(account_id), sim::kNewest, block_,
                              {account_id, method, {args.begin(), args.end()}}, contracts_);
    }
    std::string tokens_of(const std::string& account_id) {
        const auto value =
            view("ft.sandbox", "ft_balance_of", R"({"account_id":")" + account_id + "\"}").value;
        return {value.begin(), value.end()};
    }
    sim::State& state_of(const std::string& id) { return shards_[shard_of(id)].state; }
    sim::Height height() const { return block_.height; }

private:
    struct Shard {
        sim::State state;
        sim::ShardQueues queues;
        std::vector<sim::wire::SignedTransaction> transactions;
        std::vector<sim::Receipt> outgoing;
    };

    static sim::SecretKey key_of(const std::string& id) {
        return *sim::SecretKey::from_seed(chain::KeyType::ed25519, chain::sha256(chain::bytes_of(id)).view());
    }
    std::size_t shard_of(const std::string& id) const { return id.size() % shards_.size(); }

    void add_account(const std::string& id, std::string_view code) {
        sim::StateUpdate update(state_of(id));
        sim::Account account;
        account.amount = 1000 * kNear;
        update.set_account(id, account);
        update.set_access_key(id, key_of(id).public_key(), {});
        if (!code.empty()) update.set_code(id, {code.begin(), code.end()});
        update.commit(block_.height);
    }

    void add_wallet(sim::State& state) const {
        sim::StateUpdate update(state);
        update.set_global_contract(chain::sha256(chain::bytes_of(sim::kEthWalletCode)),
                                   sim::Bytes(sim::kEthWalletCode.begin(), sim::kEthWalletCode.end()));
        update.commit(block_.height);
    }

    void apply(std::size_t index, std::vector<sim::Receipt> incoming) {
        Shard& shard = shards_[index];
        sim::ShardInput input;
        input.transactions = std::exchange(shard.transactions, {});
        input.incoming = std::move(incoming);
        auto result = sim::apply_shard(shard.state, shard.queues, block_, std::move(input), contracts_);
        shard.outgoing = std::move(result.outgoing);
        for (const auto& outcome : result.transaction_outcomes) outcomes_.emplace(outcome.id, outcome);
        for (auto& done : result.executed) {
            outcomes_.emplace(done.outcome.id, done.outcome);
            executed_.push_back(std::move(done));
        }
    }

    static void add(Tree& tree, const sim::ExecutedReceipt& done) {
        const auto& actions = std::get<sim::ActionReceipt>(done.receipt.body).actions;
        const auto* call =
            actions.empty() ? nullptr : std::get_if<sim::wire::FunctionCall>(&actions.front().value);
        const std::string method = call ? call->method_name : "actions";
        tree.receipts.emplace_back(method, done.outcome);
        tree.logs.insert(tree.logs.end(), done.outcome.logs.begin(), done.outcome.logs.end());
        if (const auto* failure = std::get_if<sim::Failure>(&done.outcome.status)) {
            const auto& kind = failure->error().at("ActionError").at("kind");
            const bool panicked =
                kind.contains("FunctionCallError") && kind["FunctionCallError"].contains("ExecutionError");
            tree.failures.push_back(
                method + ": " +
                (panicked ? kind["FunctionCallError"]["ExecutionError"].get<std::string>() : kind.dump()));
        }
    }

    std::vector<Shard> shards_;
    sim::Contracts contracts_;
    sim::BlockContext block_;
    std::uint64_t nonce_ = 0;
    std::map<sim::CryptoHash, sim::Outcome> outcomes_;
    std::vector<sim::ExecutedReceipt> executed_;
};

}  // namespace receiptd::sandbox
