#include "sandbox/ledger/verdict.hpp"

#include <algorithm>
#include <map>

namespace receiptd::sandbox {

namespace {

bool failed(const ExecutedAt& executed) {
    return executed && std::holds_alternative<sim::Failure>(executed.outcome().status);
}

class Judge {
public:
    explicit Judge(const TransactionTree& tree) : tree_(tree), known_(tree.nodes.size(), Known::no) {
        for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
            for (const CryptoHash& id : tree.nodes[i].body().input_data_ids) awaiting_[id].push_back(i);
        }
    }

    // Receipts are made before those that await them are executed, but not always in that order, so
    // the answer is looked for along the data edges; these have no cycles, and the depth is bounded
    // by walking them with a list instead of recursion.
    bool handled(std::size_t start) {
        std::vector<std::size_t> stack{start};
        while (!stack.empty()) {
            const std::size_t node = stack.back();
            if (known_[node] != Known::no) {
                stack.pop_back();
                continue;
            }
            const std::vector<std::size_t> open = open_questions(node);
            if (open.empty()) {
                known_[node] = decide(node) ? Known::handled : Known::unhandled;
            } else {
                stack.insert(stack.end(), open.begin(), open.end());
            }
        }
        return known_[start] == Known::handled;
    }

private:
    enum class Known : std::uint8_t { no, handled, unhandled };

    std::vector<std::size_t> awaiters(std::size_t node) const {
        std::vector<std::size_t> found;
        for (const sim::DataReceiver& receiver : tree_.nodes[node].body().output_data_receivers) {
            const auto at = awaiting_.find(receiver.data_id);
            if (at != awaiting_.end()) found.insert(found.end(), at->second.begin(), at->second.end());
        }
        return found;
    }

    // Failed receipts that await this one and are not decided yet.
    std::vector<std::size_t> open_questions(std::size_t node) const {
        std::vector<std::size_t> open;
        for (const std::size_t awaiter : awaiters(node)) {
            if (failed(tree_.nodes[awaiter].executed) && known_[awaiter] == Known::no)
                open.push_back(awaiter);
        }
        return open;
    }

    bool decide(std::size_t node) const {
        const std::vector<std::size_t> all = awaiters(node);
        return !all.empty() && std::all_of(all.begin(), all.end(), [&](std::size_t awaiter) {
            return !failed(tree_.nodes[awaiter].executed) || known_[awaiter] == Known::handled;
        });
    }

    const TransactionTree& tree_;
    std::vector<Known> known_;
    std::map<CryptoHash, std::vector<std::size_t>> awaiting_;
};

Verdict verdict_of(const TransactionTree& tree, const std::vector<FailedReceipt>& failures) {
    if (failed(tree.included)) return Verdict::failed;
    bool callback = false;
    bool other = false;
    for (const FailedReceipt& failure : failures) {
        const Role role = tree.nodes[failure.node].role;
        if (role == Role::initial) return Verdict::failed;
        if (failure.handled) continue;
        (role == Role::callback ? callback : other) = true;
    }
    if (callback) return Verdict::callback_failed;
    if (other) return Verdict::receipt_failed;
    return failures.empty() ? Verdict::succeeded : Verdict::succeeded_with_handled_failure;
}

}  // namespace

const char* to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::succeeded: return "succeeded";
        case Verdict::failed: return "failed";
        case Verdict::callback_failed: return "callback_failed";
        case Verdict::receipt_failed: return "receipt_failed";
        case Verdict::succeeded_with_handled_failure: return "succeeded_with_handled_failure";
    }
    return "";
}

std::optional<Judgement> judge(const TransactionTree& tree, Height tip) {
    if (tree.completed_height == 0 || tree.completed_height > tip) return std::nullopt;
    Judge handling(tree);
    Judgement judgement;
    for (const std::size_t node : tree.depth_first()) {
        const ReceiptNode& receipt = tree.nodes[node];
        if (receipt.is_from_system() || !failed(receipt.executed)) continue;
        judgement.failed.push_back({node, handling.handled(node)});
    }
    judgement.verdict = verdict_of(tree, judgement.failed);
    return judgement;
}

}  // namespace receiptd::sandbox
