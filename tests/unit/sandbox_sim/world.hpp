// A chain of blocks over a few shards, as far as applying chunks needs one: what a block produces for
// an account is incoming to that account's shard in the next block. Tokens are counted after every block.
#pragma once

#include "sandbox/sim/apply.hpp"
#include "sandbox/sim/receipt_tokens.hpp"
#include "sandbox/sim/secret_key.hpp"
#include "sandbox/sim/state_update.hpp"

#include "scripted_contract.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

namespace receiptd::sandbox::sim {

inline constexpr u128 kNear = u128{1'000'000'000'000'000} * 1'000'000'000;
inline constexpr u128 kGasPrice = 100'000'000;
inline const std::string kAlice = "alice.test";
inline const std::string kBob = "bob.test";
inline const std::string kCarol = "carol.test";

inline sim::SecretKey key_of(std::string_view account) {
    const CryptoHash seed = chain::sha256(chain::bytes_of(account));
    return *sim::SecretKey::from_seed(chain::KeyType::ed25519, seed.view());
}

class World {
public:
    struct Executed {
        Receipt receipt;
        Outcome outcome;
        Height height = 0;
        bool is_local = false;
        bool is_instant = false;
    };

    explicit World(std::size_t shards = 2, std::uint32_t protocol_version = 84) {
        block_.protocol = find_protocol(protocol_version);
        shards_.resize(shards);
        for (std::size_t i = 0; i < shards; ++i) block_.shard_ids.push_back(i);
        block_.height = 100;
        block_.gas_price = kGasPrice;
        for (const std::string& id : {kAlice, kBob, kCarol}) add_account(id);
    }

    // --- Genesis ---
    void add_account(const std::string& id, u128 amount = 1000 * kNear) {
        StateUpdate update(state_of(id));
        Account account;
        account.amount = amount;
        update.set_account(id, account);
        update.set_access_key(id, key_of(id).public_key(), {});
        update.commit(block_.height);
        minted_ += amount;
    }
    void add_contract(const std::string& id, std::map<std::string, Method, std::less<>> methods) {
        if (!state_of(id).account(id)) add_account(id);
        const std::string code = "contract of " + id;
        contracts_.add(code, std::make_unique<ScriptedContract>(std::move(methods)));
        set_code(id, code);
    }
    void set_code(const std::string& id, std::string_view code) {
        StateUpdate update(state_of(id));
        update.set_code(id, bytes(code));
        update.commit(block_.height);
    }

    // --- Blocks ---
    // For the next block; its hash.
    CryptoHash send(const std::string& signer, const std::string& receiver, std::vector<wire::Action> actions,
                    std::optional<sim::SecretKey> key = std::nullopt) {
        wire::Transaction body;
        const sim::SecretKey secret = key.value_or(key_of(signer));
        body.signer_id = signer;
        body.receiver_id = receiver;
        body.nonce.nonce = ++nonce_;
        body.actions = std::move(actions);
        return send(std::move(body), secret);
    }
    CryptoHash send(wire::Transaction body, const sim::SecretKey& key) {
        body.public_key = key.public_key();
        wire::SignedTransaction transaction{std::move(body), {}};
        const CryptoHash hash = wire::transaction_hash(transaction.transaction);
        transaction.signature = key.sign(hash.view());
        shards_[shard_of(transaction.transaction.signer_id)].transactions.push_back(std::move(transaction));
        return hash;
    }
    CryptoHash send_call(const std::string& receiver, const std::string& method, Gas gas = 100 * kTera,
                         u128 deposit = 0) {
        return send(kAlice, receiver, {call_action(method, gas, deposit)});
    }

    // Applies one block on all shards.
    void step() {
        ++block_.height;
        std::vector<std::vector<Receipt>> incoming(shards_.size());
        for (Shard& shard : shards_) {
            for (Receipt& receipt : std::exchange(shard.result.outgoing, {}))
                incoming[shard_of(receipt)].push_back(std::move(receipt));
        }
        for (std::size_t i = 0; i < shards_.size(); ++i) apply(i, std::move(incoming[i]));
        check_tokens();
    }
    void run(std::size_t blocks) {
        for (std::size_t i = 0; i < blocks; ++i) step();
    }
    void run_until_idle() {
        do step();
        while (is_busy());
    }
    bool is_busy() const {
        for (const Shard& shard : shards_)
            if (!shard.result.outgoing.empty() || shard.queues.delayed_count() > 0) return true;
        return false;
    }

    // --- What came of it ---
    bool has_outcome(const CryptoHash& id) const { return executed_.contains(id); }
    const Executed& executed(const CryptoHash& receipt_id) const {
        const auto found = executed_.find(receipt_id);
        if (found == executed_.end()) throw std::out_of_range("not executed: " + receipt_id.to_string());
        return found->second;
    }
    const Outcome& transaction_outcome(const CryptoHash& hash) const { return transactions_.at(hash); }
    // The outcome of the initial receipt of a transaction.
    const Executed& initial(const CryptoHash& hash) const {
        return executed(transactions_.at(hash).receipt_ids.at(0));
    }
    // The i-th receipt that `parent` made.
    const Executed& child(const Executed& parent, std::size_t i) const {
        return executed(parent.outcome.receipt_ids.at(i));
    }
    void for_each_executed(const std::function<void(const Executed&)>& visit) const {
        for (const auto& [id, executed] : executed_) visit(executed);
    }
    const ShardResult& result(const std::string& account) const { return shards_[shard_of(account)].result; }
    ShardQueues& queues(const std::string& account) { return shards_[shard_of(account)].queues; }
    u128 balance(const std::string& id) { return state_of(id).account(id).value_or(Account{}).amount; }
    State& state_of(const std::string& id) { return shards_[shard_of(id)].state; }
    // By the first letter: of two shards alice and carol share one, bob has the other.
    std::size_t shard_of(const std::string& id) const {
        return static_cast<unsigned char>(id.front()) % shards_.size();
    }
    std::size_t shard_of(const Receipt& receipt) const {
        const auto* contract = std::get_if<GlobalContractReceipt>(&receipt.body);
        return contract ? contract->target_shard : shard_of(receipt.receiver_id);
    }
    BlockContext& block() { return block_; }
    const Contracts& contracts() const { return contracts_; }
    void set_gas_limit(Gas limit) { gas_limit_ = limit; }
    u128 burnt() const { return burnt_; }

private:
    struct Shard {
        State state;
        ShardQueues queues;
        std::vector<wire::SignedTransaction> transactions;
        ShardResult result;  // of the newest block
    };

    void apply(std::size_t index, std::vector<Receipt> incoming) {
        Shard& shard = shards_[index];
        ShardInput input;
        block_.shard_id = index;
        input.transactions = std::exchange(shard.transactions, {});
        input.incoming = std::move(incoming);
        input.gas_limit = gas_limit_;
        shard.result = apply_shard(shard.state, shard.queues, block_, std::move(input), contracts_);
        Gas gas_used = 0;
        for (const Outcome& outcome : shard.result.transaction_outcomes) {
            transactions_.emplace(outcome.id, outcome);
            gas_used += outcome.gas_burnt;
        }
        for (const ExecutedReceipt& done : shard.result.executed) {
            gas_used += done.outcome.gas_burnt;
            const Executed entry{done.receipt, done.outcome, block_.height, done.is_local, done.is_instant};
            EXPECT_TRUE(executed_.emplace(done.outcome.id, entry).second) << "executed twice";
        }
        EXPECT_EQ(shard.result.gas_used, gas_used);
        burnt_ += shard.result.tokens_burnt;
    }

    void check_tokens() {
        u128 total = burnt_;
        for (const Shard& shard : shards_) {
            total += shard.state.total_balance();
            for (const Receipt& receipt : shard.result.outgoing)
                total += tokens_in(*block_.protocol, receipt);
            shard.queues.for_each(
                [&](const Receipt& receipt) { total += tokens_in(*block_.protocol, receipt); });
        }
        ASSERT_EQ(base::to_string(total), base::to_string(minted_)) << "at height " << block_.height;
    }

    std::vector<Shard> shards_;
    Contracts contracts_;
    BlockContext block_;
    Gas gas_limit_ = 1000 * kTera;
    std::uint64_t nonce_ = 0;
    u128 minted_ = 0;
    u128 burnt_ = 0;
    std::map<CryptoHash, Outcome> transactions_;
    std::map<CryptoHash, Executed> executed_;
};

// --- Reading statuses ---
inline bool succeeded(const Outcome& outcome) { return !std::holds_alternative<Failure>(outcome.status); }
inline std::string value_of(const Outcome& outcome) {
    const auto* value = std::get_if<SuccessValue>(&outcome.status);
    return value ? text(value->value) : "no value";
}
inline Json failure_of(const Outcome& outcome) {
    const auto* failure = std::get_if<Failure>(&outcome.status);
    return failure ? failure->error() : Json();
}
inline Json kind_of(const Outcome& outcome) { return failure_of(outcome)["ActionError"]["kind"]; }
// The text of {"FunctionCallError":{"ExecutionError":…}}.
inline std::string execution_error(const Outcome& outcome) {
    const Json kind = kind_of(outcome);
    if (!kind.is_object() || !kind.contains("FunctionCallError"))
        return "none: " + failure_of(outcome).dump();
    return kind["FunctionCallError"].value("ExecutionError", "none: " + kind.dump());
}

}  // namespace receiptd::sandbox::sim
