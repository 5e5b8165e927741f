#include "follow/unplaced_step.hpp"

#include "base/backoff.hpp"
#include "chain/rows/rows_scope.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;

// A tree of the same signer gets so long to bring it, and more behind others.
constexpr std::chrono::milliseconds kSignersTree = 30s;
constexpr std::chrono::milliseconds kEachTreeBefore = 100ms;
constexpr auto kRefund = 5s;  // the refunded receipt touches the account too, and its tree is asked for
constexpr unsigned kTransactionAsked = 6;
constexpr unsigned kOutcomeAsked = 20;  // a receipt may be delayed for minutes
constexpr base::BackoffPolicy kTransactionAgain{1s, 30s, 2.0, 0.0};
constexpr base::BackoffPolicy kOutcomeAgain{1s, 60s, 1.6, 0.0};

bool from_system(const storage::UnplacedReceipt& unplaced) {
    return unplaced.receipt.signer_id == chain::kSystemAccount;
}

std::optional<std::chrono::milliseconds> pause(const base::BackoffPolicy& policy, unsigned attempts,
                                               unsigned limit) {
    if (attempts >= limit) return std::nullopt;
    return std::chrono::duration_cast<std::chrono::milliseconds>(base::backoff_delay(policy, attempts, 0.0));
}

}  // namespace

UnplacedStep next_step(const storage::UnplacedReceipt& unplaced, const UnplacedWorld& world) {
    if (unplaced.wants_outcome) return UnplacedStep::ask_outcome;
    if (unplaced.tree_pending) return UnplacedStep::wait;
    const auto patience = kSignersTree + kEachTreeBefore * world.pending_trees;
    if (unplaced.signer_pending && unplaced.age < patience) return UnplacedStep::wait;
    if (from_system(unplaced) && unplaced.age < kRefund) return UnplacedStep::wait;
    const bool often_enough = !pause_before_transaction(unplaced.attempts);
    return world.can_ask && !often_enough ? UnplacedStep::ask_transaction : UnplacedStep::want_outcome;
}

std::optional<std::chrono::milliseconds> pause_before_transaction(unsigned attempts) {
    return pause(kTransactionAgain, attempts, kTransactionAsked);
}

std::optional<std::chrono::milliseconds> pause_before_outcome(unsigned attempts) {
    return pause(kOutcomeAgain, attempts, kOutcomeAsked);
}

std::vector<bool> may_ask_together(const std::vector<storage::UnplacedReceipt>& due,
                                   std::set<std::string> asking) {
    std::vector<bool> may;
    for (const auto& unplaced : due) {
        const bool alone = unplaced.wants_outcome || from_system(unplaced);
        may.push_back(alone || asking.insert(unplaced.receipt.signer_id).second);
    }
    return may;
}

bool block_will_bring(const chain::Scope& scope, const chain::SignedTransaction& transaction,
                      base::Height included_at, const storage::Coverage& coverage) {
    return chain::touches(scope, transaction) && coverage.wanted.contains(included_at) &&
           !coverage.covered.contains(included_at);
}

std::vector<std::string> receipts_named(const chain::TransactionStatus& status) {
    std::vector<std::string> ids;
    const auto add = [&](const chain::Outcome& outcome) {
        for (const auto id : outcome.receipt_ids) ids.emplace_back(id);
    };
    if (status.transaction_outcome) add(*status.transaction_outcome);
    for (const auto& outcome : status.receipts_outcome) add(outcome);
    return ids;
}

}  // namespace receiptd::follow
