#include "follow/unplaced_receipts.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "follow/final_block.hpp"
#include "follow/unplaced_step.hpp"
#include "metrics/registry.hpp"
#include "storage/errors.hpp"

#include <optional>
#include <utility>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;
using storage::UnplacedReceipt;

constexpr unsigned kLookedAtOnce = 256;
constexpr std::size_t kAsksAtOnce = 8;
constexpr std::size_t kRoom = 64;  // asking, or for a free worker
constexpr auto kPause = 250ms;
constexpr auto kNotFinal = 1s;
constexpr auto kFaultPause = 5s;
constexpr auto kRefusedPause = 10min;

struct CancelAtEnd {
    base::TaskGroup& group;
    ~CancelAtEnd() { group.cancel(); }
};

}  // namespace

UnplacedReceipts::UnplacedReceipts(base::asio::any_io_executor executor, UnplacedSources sources,
                                   storage::BlockStore& blocks, State& state, const chain::Scope& scope)
    : sources_(sources),
      blocks_(blocks),
      state_(state),
      scope_(scope),
      workers_(executor),
      wakeup_(executor, {&state.stop.signal}) {}

base::Task<void> UnplacedReceipts::run() {
    const CancelAtEnd cancel{workers_};
    while (!state_.stop.requested() && !workers_.failed()) {
        if (state_.clock.steady() >= look_at_) co_await look();
        while (!queue_.empty() && workers_.running() < kAsksAtOnce) {
            workers_.spawn(work(std::move(queue_.front())));
            queue_.pop_front();
        }
        co_await wakeup_.wait_for(kPause);
    }
    co_await workers_.join();
}

base::Task<void> UnplacedReceipts::look() {
    look_at_ = state_.clock.steady() + kPause;
    auto round = co_await sources_.waiting.due_unplaced(kLookedAtOnce);
    state_.series.orphans_in_history.Increment(static_cast<double>(round.came));
    state_.series.orphans_told.Increment(static_cast<double>(round.came_when_asked));
    const auto may_ask = may_ask_together(round.due, signers_asking());
    for (std::size_t i = 0; i < round.due.size(); ++i) {
        auto& unplaced = round.due[i];
        const auto& id = unplaced.receipt.receipt_id;
        const auto step = next_step(unplaced, {can_ask_, state_.trees.pending});
        if (step == UnplacedStep::wait || busy_.contains(id)) continue;
        if (step == UnplacedStep::want_outcome)
            co_await sources_.waiting.want_outcome(id, "no host can tell its transaction");
        else if (may_ask[i] && busy_.size() < kRoom) {
            busy_.emplace(id, unplaced.receipt.signer_id);
            queue_.push_back(std::move(unplaced));
        }
    }
    const auto waiting = co_await sources_.waiting.unplaced_count(base::kAllHeights);
    state_.series.unplaced_receipts.Set(static_cast<double>(waiting));
}

std::set<std::string> UnplacedReceipts::signers_asking() const {
    std::set<std::string> signers;
    for (const auto& [id, signer] : busy_) signers.insert(signer);
    return signers;
}

base::Task<std::uint64_t> UnplacedReceipts::waiting_in(base::HeightRange listed_in) {
    return sources_.waiting.unplaced_count(listed_in);
}

base::Task<void> UnplacedReceipts::work(UnplacedReceipt unplaced) {
    std::optional<std::string> refused;
    try {
        if (unplaced.wants_outcome)
            co_await ask_outcome(unplaced);
        else
            co_await ask_transaction(unplaced);
    } catch (const storage::StorageRefused& e) {
        refused = e.what();
    }
    if (refused) co_await postpone(unplaced, kRefusedPause, false, "refused_by_database: " + *refused);
    busy_.erase(unplaced.receipt.receipt_id);
    wakeup_.notify();
}

base::Task<void> UnplacedReceipts::ask_transaction(const UnplacedReceipt& unplaced) {
    auto told = co_await sources_.receipts.origin(unplaced.receipt.receipt_id, rpc::Priority::watch);
    if (auto* origin = std::get_if<rpc::ReceiptSource::Origin>(&told)) {
        co_await find_tree(unplaced, std::move(*origin));
        co_return;
    }
    if (const auto* fault = std::get_if<rpc::Unavailable>(&told)) {
        co_await postpone(unplaced, kFaultPause, false, fault->reason + ": " + fault->detail);
        co_return;
    }
    const auto& unknown = std::get<rpc::ReceiptSource::Unknown>(told);
    if (unknown.not_offered && std::exchange(can_ask_, false))
        log::warn("no host tells the transaction of a receipt: receipts that no tree brings stay orphans",
                  {{"because", unknown.evidence}});
    const auto pause = pause_before_transaction(unplaced.attempts + 1);
    if (unknown.not_offered || !pause)
        co_await sources_.waiting.want_outcome(unplaced.receipt.receipt_id, unknown.evidence);
    else
        co_await postpone(unplaced, *pause, true, unknown.evidence);
}

base::Task<void> UnplacedReceipts::find_tree(const UnplacedReceipt& unplaced,
                                             rpc::ReceiptSource::Origin origin) {
    rpc::TreeSource::Query query;
    query.tx_hash = origin.tx_hash;
    query.sender_id = origin.sender_id;
    auto result = co_await sources_.trees.tree(std::move(query));
    const auto* tree = std::get_if<rpc::TreeSource::Tree>(&result);
    if (!tree) {
        const auto* fault = std::get_if<rpc::Unavailable>(&result);
        co_await postpone(unplaced, kFaultPause, fault == nullptr,
                          "its transaction " + origin.tx_hash + " could not be had");
        co_return;
    }
    const auto& status = tree->status.value;
    if (!status.transaction || !status.transaction_outcome) {
        co_await postpone(unplaced, kNotFinal, false,
                          "its transaction " + origin.tx_hash + " is in no block yet");
        co_return;
    }
    std::string hash(status.transaction_outcome->block_hash);
    auto block = co_await final_block(blocks_, sources_.trees, std::move(hash), state_.head.height(),
                                      rpc::Priority::watch);
    if (block)
        co_await place(unplaced, status, std::move(*block));
    else
        co_await postpone(unplaced, kNotFinal, false,
                          "the block of its transaction " + origin.tx_hash + " is not known to be final");
}

base::Task<void> UnplacedReceipts::place(const UnplacedReceipt& unplaced,
                                         const chain::TransactionStatus& status,
                                         chain::BlockRef included_in) {
    storage::FoundTransaction found;
    found.tx_hash = status.transaction->hash;
    found.height = included_in.height;
    found.timestamp_nanosec = included_in.timestamp_nanosec;
    found.asked_for = unplaced.receipt.receipt_id;
    found.receipt_ids = receipts_named(status);
    if (!block_will_bring(scope_, *status.transaction, included_in.height, state_.heights.coverage()))
        found.rows = chain::found_transaction_rows(*status.transaction, included_in);
    co_await sources_.waiting.place(std::move(found));
}

base::Task<void> UnplacedReceipts::ask_outcome(const UnplacedReceipt& unplaced) {
    const auto& receipt = unplaced.receipt;
    const auto& head = state_.head.block();
    if (!head || head->height <= receipt.height) {
        co_await postpone(unplaced, kNotFinal, false, "its outcome is not final yet");
        co_return;
    }
    auto told = co_await sources_.receipts.outcome(receipt.receipt_id, receipt.receiver_id, head->hash,
                                                   rpc::Priority::watch);
    if (auto* proof = std::get_if<rpc::ReceiptSource::Proof>(&told)) {
        co_await store_orphan(unplaced, std::move(*proof));
        co_return;
    }
    if (const auto* fault = std::get_if<rpc::Unavailable>(&told)) {
        co_await postpone(unplaced, kFaultPause, false, fault->reason + ": " + fault->detail);
        co_return;
    }
    const auto* unknown = std::get_if<rpc::ReceiptSource::Unknown>(&told);
    const auto pause = pause_before_outcome(unplaced.attempts + 1);
    auto reason = unknown ? unknown->evidence : std::string("its outcome is not final yet");
    if ((unknown && unknown->not_offered) || !pause)
        co_await store_orphan(unplaced, std::nullopt);
    else
        co_await postpone(unplaced, *pause, true, std::move(reason));
}

base::Task<void> UnplacedReceipts::store_orphan(const UnplacedReceipt& unplaced,
                                                std::optional<rpc::ReceiptSource::Proof> proof) {
    const auto& receipt = unplaced.receipt;
    auto told = co_await sources_.receipts.body(receipt.receipt_id, rpc::Priority::watch);
    if (const auto* fault = std::get_if<rpc::Unavailable>(&told)) {
        co_await postpone(unplaced, kFaultPause, false, fault->reason + ": " + fault->detail);
        co_return;
    }
    const auto* body = std::get_if<rpc::ReceiptSource::Body>(&told);
    const chain::Outcome* outcome = nullptr;
    std::optional<chain::ExecutedAt> executed_at;
    if (proof) {
        outcome = &proof->value.outcome;
        const auto light = chain::light_client_proof(proof->value);
        executed_at = co_await sources_.waiting.executed_at(std::string(outcome->block_hash),
                                                            chain::chunk_outcome_root(*light).to_string());
    }
    auto rows = chain::orphan_receipt_rows(receipt, body ? &body->value : nullptr, outcome, executed_at,
                                           state_.interest());
    rows.withhold_before(state_.news_since(false));
    co_await sources_.waiting.store_orphan(receipt.receipt_id, std::move(rows));
    state_.series.orphans_left.Increment();
}

base::Task<void> UnplacedReceipts::postpone(const UnplacedReceipt& unplaced, std::chrono::milliseconds delay,
                                            bool in_vain, std::string reason) {
    co_await sources_.waiting.postpone_unplaced(unplaced.receipt.receipt_id, delay, in_vain,
                                                std::move(reason));
}

}  // namespace receiptd::follow
