// The parts of made-up trees, for all that judges trees.
#pragma once

#include "chain/tree/receipt_tree.hpp"

#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace receiptd::chain::testing {

using Parts = std::vector<std::variant<TransactionFacts, ReceiptFacts, OutcomeFacts, DataFacts>>;

// The parts of one story, in the order a reader would tell it.
class Story {
public:
    Story() {
        TransactionFacts transaction;
        transaction.tx_hash = "TX";
        transaction.signer_id = "alice";
        transaction.receiver_id = "app";
        transaction.deposit = 100;
        parts.emplace_back(transaction);
        returns("TX", "r0", {"r0"});
    }

    ReceiptFacts& receipt(const std::string& id, const std::string& from, const std::string& to,
                          std::vector<std::string> inputs = {}, std::vector<std::string> outputs = {}) {
        ReceiptFacts facts;
        facts.receipt_id = id;
        facts.predecessor_id = from;
        facts.receiver_id = to;
        facts.signer_id = "alice";
        facts.input_data_ids = std::move(inputs);
        facts.output_data_ids = std::move(outputs);
        parts.emplace_back(std::move(facts));
        return std::get<ReceiptFacts>(parts.back());
    }

    void outcome(const std::string& id, StatusKind status, std::vector<std::string> children = {}) {
        OutcomeFacts facts;
        facts.id = id;
        facts.status = status;
        facts.receipt_ids = std::move(children);
        if (status == StatusKind::failure) facts.failure = {"contract_panic", "no"};
        facts.gas_burnt = 1;
        facts.at = ExecutedAt{++height, height * 1000};
        parts.emplace_back(std::move(facts));
    }
    // The result of `id` is that of one of its children.
    void returns(const std::string& id, const std::string& child, std::vector<std::string> children) {
        outcome(id, StatusKind::success_receipt_id, std::move(children));
        std::get<OutcomeFacts>(parts.back()).returned_id = child;
        std::get<OutcomeFacts>(parts.back()).speaks = true;
    }
    void ok(const std::string& id, std::vector<std::string> children = {}) {
        outcome(id, StatusKind::success_value, std::move(children));
    }
    void fails(const std::string& id, std::vector<std::string> children = {}) {
        outcome(id, StatusKind::failure, std::move(children));
    }
    void data(const std::string& id, bool failed = false, bool resume = false) {
        parts.emplace_back(DataFacts{id, failed, resume});
    }
    // The outcome that was told last logs something.
    void logs() { std::get<OutcomeFacts>(parts.back()).speaks = true; }

    Judgement judge() const { return judge(parts); }
    static Judgement judge(const Parts& parts) {
        ReceiptTree tree("TX");
        for (const auto& part : parts) std::visit([&](const auto& facts) { tree.add(facts); }, part);
        return tree.judge();
    }

    Parts parts;
    BlockHeight height = 100;
};

inline const JudgedReceipt& find(const Judgement& tree, const std::string& id) {
    for (const auto& receipt : tree.receipts)
        if (receipt.receipt_id == id) return receipt;
    throw std::out_of_range(id);
}

// A tree drawn at random: receipts spawn others, return them or not, some of them await one another; one that
// failed spawns refunds only, and a refund nothing.
inline Story random_story(std::mt19937& random) {
    Story story;
    std::vector<std::string> open{"r0"};
    story.receipt("r0", "alice", "app");
    std::set<std::string> callbacks;
    int next = 1;
    const auto chance = [&](int percent) { return static_cast<int>(random() % 100) < percent; };
    while (!open.empty()) {
        const auto id = open.back();
        open.pop_back();
        if (chance(5)) continue;  // not executed yet
        std::vector<std::string> children;
        std::vector<std::string> data;
        const bool fails = chance(callbacks.contains(id) ? 14 : 25);
        const bool is_refund = id.starts_with("refund");
        while (!fails && !is_refund && next < 60 && chance(60)) {
            const auto child = "r" + std::to_string(next++);
            auto& made = story.receipt(child, "app", "app");
            if (!data.empty() && chance(40)) {
                std::swap(made.input_data_ids, data);
                callbacks.insert(child);
            }
            if (chance(50)) {
                made.output_data_ids = {"d" + child};
                data.push_back("d" + child);
            }
            children.push_back(child);
            open.push_back(child);
        }
        if (!is_refund && chance(20)) {
            children.push_back("refund" + id);
            story.receipt("refund" + id, "system", "alice");
            open.push_back("refund" + id);
        }
        if (fails)
            story.fails(id, children);
        else if (!children.empty() && !children.front().starts_with("refund") && chance(50))
            story.returns(id, children.front(), children);
        else
            story.ok(id, children);
        if (chance(20)) story.logs();
        if (chance(80)) story.data("d" + id, chance(30));
    }
    return story;
}

}  // namespace receiptd::chain::testing
