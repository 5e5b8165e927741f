// Receipts of a shard that wait (chain-model.md §1.2, §3): delayed for lack of gas, postponed for lack
// of data, yielded. Data that came before its receipt waits here too.
#pragma once

#include "sandbox/sim/host.hpp"

#include <deque>
#include <functional>
#include <map>

namespace receiptd::sandbox::sim {

class ShardQueues {
public:
    // --- Delayed: first in, first out ---
    // `gas`: what it may burn, the gas attached to its calls included (congestion, chain-model.md §7).
    void delay(Receipt receipt, Gas gas);
    std::optional<Receipt> next_delayed();
    std::size_t delayed_count() const { return delayed_.size(); }
    // The sum over all delayed receipts.
    u128 delayed_gas() const { return delayed_gas_; }

    // --- Waiting for data ---
    // Returns the action receipt if all its data has come, else keeps it here.
    std::optional<Receipt> admit(Receipt receipt);
    // Keeps the data; the receipt that waited for nothing else comes back.
    std::optional<Receipt> deliver(const DataReceipt& data);
    // The data of a receipt that is executed now, in the order of its input_data_ids. Gone afterwards.
    std::vector<PromiseResult> take_results(const ActionReceipt& receipt);
    std::size_t postponed_count() const { return postponed_.size(); }

    // --- Promise yields ---
    // Takes a yield receipt; from `expires_at` on expired_yields() names it.
    void add_yield(Receipt receipt, Height expires_at);
    bool has_yield(std::string_view account_id, const CryptoHash& data_id) const;
    // The yield receipt, its data in place; nullopt where no yield waits for that id (any more).
    std::optional<Receipt> resume(std::string_view account_id, const DataReceipt& data);
    // Yields that expire at `height` or before and still wait, in order of creation; each is named once.
    struct ExpiredYield {
        std::string account_id;
        CryptoHash data_id;
    };
    std::vector<ExpiredYield> expired_yields(Height height);

    // The queues of a part of the shard: receipts that run there. Data that came before its receipt goes with
    // every part: it does not tell whom it is for.
    ShardQueues part(const std::function<bool(const Receipt&)>& runs_there) const;

    // Every receipt that waits, in an order that depends on nothing but its content.
    void for_each(const std::function<void(const Receipt&)>& visit) const;

private:
    struct Postponed {
        Receipt receipt;
        std::size_t missing = 0;
    };
    struct Timeout {
        Height expires_at = 0;
        CryptoHash data_id;
    };

    struct Delayed {
        Receipt receipt;
        Gas gas = 0;
    };

    std::deque<Delayed> delayed_;
    u128 delayed_gas_ = 0;
    std::map<CryptoHash, Postponed> postponed_;     // by receipt id
    std::map<CryptoHash, CryptoHash> awaited_;      // data id -> postponed receipt
    std::map<CryptoHash, PromiseResult> received_;  // by data id
    std::map<CryptoHash, Receipt> yields_;          // by data id
    std::deque<Timeout> timeouts_;
};

}  // namespace receiptd::sandbox::sim
