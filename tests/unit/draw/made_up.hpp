// Judged trees made up at random, of any size, for all that draws them.
#pragma once

#include "chain/tree/judgement.hpp"

#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <utility>

namespace receiptd::draw::testing {

class MadeUp {
public:
    // `shards`: 0: of no receipt the shard is known.
    MadeUp(unsigned seed, std::size_t receipts, unsigned shards) : random_(seed), shards_(shards) {
        transaction.tx_hash = "TX";
        transaction.signer_id = "alice.near";
        transaction.receiver_id = "app.near";
        transaction.method_name = "swap";
        tree.included = true;
        tree.included_at = chain::ExecutedAt{kFirstHeight, kNanoseconds};
        tree.included_in_shard = shard();
        for (std::size_t i = 0; i < receipts; ++i) add(i);
    }

    chain::TransactionFacts transaction;
    chain::Judgement tree;

private:
    static constexpr chain::BlockHeight kFirstHeight = 1'000;
    static constexpr std::uint64_t kNanoseconds = 1'000'000'000;

    bool chance(unsigned percent) { return random_() % 100 < percent; }
    std::size_t one_of(std::size_t count) { return random_() % count; }

    std::optional<chain::ShardId> shard() {
        if (shards_ == 0 || chance(3)) return std::nullopt;
        return random_() % shards_;
    }

    void add(std::size_t i) {
        chain::JudgedReceipt receipt;
        receipt.receipt_id = "R" + std::to_string(i);
        receipt.receiver_id =
            (chance(20) ? std::string(64, 'a') : "contract" + std::to_string(one_of(7))) + ".near";
        receipt.predecessor_id = "app.near";
        receipt.method_name = chance(10) ? std::string(200, 'm') : "method_" + std::to_string(one_of(9));
        receipt.role = chain::Role::initial;
        receipt.on_result_chain = i == 0 || chance(5);
        chain::BlockHeight height = kFirstHeight + 1;
        if (i > 0) height = place_below(receipt, i);
        receipt.executed = chance(95);
        if (receipt.executed && chance(98)) receipt.at = chain::ExecutedAt{height, height * kNanoseconds};
        receipt.shard_id = shard();
        if (chance(30)) receipt.deposit = random_();
        receipt.gas_burnt = random_();
        receipt.status = chain::StatusKind::success_value;
        if (receipt.executed && chance(15)) fail(receipt);
        if (!receipt.executed) receipt.waiting = chain::Waiting::data;
        tree.receipts.push_back(std::move(receipt));
    }

    chain::BlockHeight place_below(chain::JudgedReceipt& receipt, std::size_t i) {
        // Most of them below a few: what is wide has to be tried, too.
        const auto parent = chance(50) ? one_of(std::min<std::size_t>(i, 4)) : one_of(i);
        const auto& above = tree.receipts[parent];
        receipt.parent_receipt_id = above.receipt_id;
        receipt.role = chance(30) ? chain::Role::callback : chain::Role::promise;
        if (chance(25)) {
            receipt.role = chain::Role::refund;
            receipt.predecessor_id = "system";
        }
        if (receipt.role == chain::Role::callback)
            for (int awaited = 0; awaited < 3; ++awaited)
                receipt.awaits.push_back("R" + std::to_string(one_of(i)));
        const auto since = above.at ? above.at->height : kFirstHeight;
        return since + (chance(90) ? random_() % 3 : random_() % 300);
    }

    void fail(chain::JudgedReceipt& receipt) {
        receipt.status = chain::StatusKind::failure;
        receipt.failure.error_class = "contract_panic";
        receipt.failure.error_text = std::string(one_of(300), 'e') + " words and words";
        receipt.handling = chance(50) ? chain::Handling::handled : chain::Handling::unhandled;
        if (tree.root_cause.empty() && receipt.handling == chain::Handling::unhandled) {
            tree.root_cause = receipt.receipt_id;
            tree.decided_by.push_back(receipt.receipt_id);
        }
    }

    std::mt19937 random_;
    unsigned shards_;
};

}  // namespace receiptd::draw::testing
