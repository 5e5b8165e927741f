// Trees judged while they go by, block after block.
#include "chain/tree/live_trees.hpp"

#include "tree_story.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace receiptd::chain {
namespace {

using testing::random_story;
using testing::Story;

// A story as blocks would tell it: one execution a block, nothing before what it needs.
class Telling {
public:
    explicit Telling(const Story& story) : story_(story), judgement_(story.judge()) {
        for (const auto& part : story.parts) {
            if (const auto* body = std::get_if<ReceiptFacts>(&part)) bodies_[body->receipt_id] = body;
            if (const auto* outcome = std::get_if<OutcomeFacts>(&part)) waiting_.push_back(outcome);
            if (const auto* transaction = std::get_if<TransactionFacts>(&part)) transaction_ = transaction;
        }
        for (const auto& receipt : judgement_.receipts) judged_[receipt.receipt_id] = &receipt;
    }

    Decided tell(LiveTrees& live) {
        Decided all;
        while (const auto* next = take_ready()) {
            tell(live, *next);
            ++height_;
            auto decided = live.end_of_block();
            for (auto& finding : decided.findings) all.findings.push_back(std::move(finding));
            for (auto& result : decided.results) all.results.push_back(std::move(result));
        }
        return all;
    }

    bool told_all() const { return waiting_.empty(); }

    // The same tree as a whole, executed where it was told.
    Judgement judge() const {
        ReceiptTree tree("TX");
        for (const auto& part : story_.parts)
            if (!std::holds_alternative<OutcomeFacts>(part))
                std::visit([&](const auto& facts) { tree.add(facts); }, part);
        for (const auto& outcome : told_) tree.add(outcome);
        return tree.judge();
    }

private:
    bool is_ready(const OutcomeFacts& outcome) const {
        if (outcome.id == "TX") return true;
        const auto& receipt = *judged_.at(outcome.id);
        const auto& parent = receipt.parent_receipt_id.empty() ? "TX" : receipt.parent_receipt_id;
        if (done_.count(parent) == 0) return false;
        for (const auto& data_id : bodies_.at(outcome.id)->input_data_ids)
            for (const auto& [id, body] : bodies_) {
                const auto& outputs = body->output_data_ids;
                const bool makes_it = std::find(outputs.begin(), outputs.end(), data_id) != outputs.end();
                if (makes_it && done_.count(id) == 0) return false;
            }
        return true;
    }

    static Text failure_of(const std::string& receipt_id) {
        constexpr std::array<Text, 3> kFailures{
            R"({"ActionError":{"index":0,"kind":"DelegateActionExpired"}})",
            R"({"ActionError":{"index":1,"kind":{"AccountDoesNotExist":{"account_id":"nobody.near"}}}})",
            R"({"ActionError":{"index":2,"kind":{"FunctionCallError":{"ExecutionError":"no"}}}})"};
        return kFailures.at(std::hash<std::string>{}(receipt_id) % kFailures.size());
    }

    const OutcomeFacts* take_ready() {
        const auto ready = std::find_if(waiting_.begin(), waiting_.end(),
                                        [&](const OutcomeFacts* item) { return is_ready(*item); });
        if (ready == waiting_.end()) return nullptr;
        const auto* taken = *ready;
        waiting_.erase(ready);
        done_.insert(taken->id);
        return taken;
    }

    void tell(LiveTrees& live, const OutcomeFacts& facts) {
        Outcome outcome;
        outcome.id = facts.id;
        outcome.receipt_ids.assign(facts.receipt_ids.begin(), facts.receipt_ids.end());
        outcome.status.kind = facts.status;
        outcome.status.failure_json = failure_of(facts.id);
        outcome.gas_burnt = facts.gas_burnt;
        if (facts.speaks) outcome.logs = {"it failed"};
        const ExecutedAt at{height_ + 1, 1000 * height_};
        told_.push_back(facts);
        told_.back().at = at;
        if (facts.status == StatusKind::failure)
            told_.back().failure = classify_failure(outcome.status.failure_json);
        if (facts.id == "TX") {
            SignedTransaction transaction;
            transaction.hash = transaction_->tx_hash;
            transaction.signer_id = transaction_->signer_id;
            live.transaction(transaction, outcome, at);
            return;
        }
        const auto& body = *bodies_.at(facts.id);
        Receipt receipt;
        receipt.receipt_id = body.receipt_id;
        receipt.predecessor_id = body.predecessor_id;
        receipt.receiver_id = body.receiver_id;
        receipt.input_data_ids.assign(body.input_data_ids.begin(), body.input_data_ids.end());
        for (const auto& id : body.output_data_ids) receipt.output_data_receivers.push_back({id, "app"});
        const auto& judged = *judged_.at(facts.id);
        const auto chain = is_result(facts.id) ? OnResultChain::yes : OnResultChain::no;
        live.executed("TX", {judged.parent_receipt_id, receipt, outcome, judged.role, chain}, at);
    }

    // Whether the transaction's result is that of this receipt.
    bool is_result(const std::string& receipt_id) const {
        auto at = receipt_id;
        for (auto parent = judged_.at(at)->parent_receipt_id; !parent.empty();
             parent = judged_.at(at)->parent_receipt_id) {
            const auto maker = std::find_if(told_.begin(), told_.end(),
                                            [&](const auto& outcome) { return outcome.id == parent; });
            if (maker->returned_id != at) return false;
            at = parent;
        }
        return true;
    }

    const Story& story_;
    Judgement judgement_;
    const TransactionFacts* transaction_ = nullptr;
    std::map<std::string, const ReceiptFacts*> bodies_;
    std::map<std::string, const JudgedReceipt*> judged_;
    std::vector<const OutcomeFacts*> waiting_;
    std::vector<OutcomeFacts> told_;
    std::set<std::string> done_;
    base::Height height_ = 0;
};

std::optional<Effect> effect_in(const Judgement& tree, const std::string& receipt_id) {
    for (const auto& failure : tree.failures)
        if (failure.finding.receipt_id == receipt_id) return failure.finding.effect;
    return std::nullopt;
}

void expect_same(const TreeResult& live, const TreeResult& whole) {
    EXPECT_EQ(live.failure, whole.failure);
    EXPECT_EQ(live.near_status, whole.near_status);
    EXPECT_EQ(live.root_cause, whole.root_cause);
    EXPECT_EQ(live.effect, whole.effect);
    EXPECT_EQ(live.refunds.gas, whole.refunds.gas);
    EXPECT_EQ(live.refunds.deposits, whole.refunds.deposits);
    EXPECT_EQ(live.receipts, whole.receipts);
    EXPECT_EQ(live.failed_receipts, whole.failed_receipts);
    EXPECT_EQ(live.gas_burnt, whole.gas_burnt);
    EXPECT_EQ(live.included_at, whole.included_at);
    EXPECT_EQ(live.completed_at, whole.completed_at);
    EXPECT_EQ(live.settled_at, whole.settled_at);
}

// Whether it is told what became of the failure.
bool is_decided(const Judgement& tree, const JudgedReceipt& failed) {
    return std::any_of(tree.failures.begin(), tree.failures.end(), [&](const Failure& failure) {
        return failure.finding.receipt_id == failed.receipt_id && failure.is_decided();
    });
}

void expect_same_handling(const Decided& decided, const Judgement& judgement) {
    std::map<std::string, Handling> told;
    for (const auto& finding : decided.findings) {
        ASSERT_EQ(finding.tx_hash, "TX");
        if (finding.kind != kind::kFailedReceipt) continue;
        ASSERT_TRUE(
            told.emplace(finding.receipt_id, *finding.handled ? Handling::handled : Handling::unhandled)
                .second);
    }
    for (const auto& receipt : judgement.receipts) {
        if (!receipt.failed() || receipt.is_from_system() || !receipt.attached) continue;
        const auto found = told.find(receipt.receipt_id);
        const auto handling = found == told.end() ? Handling::undecided : found->second;
        const auto expected = is_decided(judgement, receipt) ? receipt.handling : Handling::undecided;
        ASSERT_EQ(handling, expected) << receipt.receipt_id;
    }
}

TEST(LiveTrees, SaysWhatTheWholeTreeSays) {
    std::mt19937 random(11);
    int settled = 0;
    int led_to = 0;
    std::set<Verdict> verdicts;
    std::set<std::string> deciding_classes;
    std::set<Text> near_says;
    std::set<Effect> effects;
    for (int round = 0; round < 2000; ++round) {
        const auto story = random_story(random);
        LiveTrees live;
        Telling telling(story);
        const auto decided = telling.tell(live);
        if (!telling.told_all()) continue;  // it awaits data that nobody makes before
        const auto judgement = telling.judge();
        if (judgement.completed && !judgement.settled) continue;  // they wait for refunds
        ASSERT_EQ(decided.results.size(), judgement.settled ? 1u : 0u) << round;
        ASSERT_NO_FATAL_FAILURE(expect_same_handling(decided, judgement)) << round;
        if (!judgement.settled) continue;
        ++settled;
        const auto& result = decided.results.front();
        verdicts.insert(result.verdict);
        ASSERT_EQ(result.verdict, judgement.verdict) << round;
        ASSERT_EQ(result.failure.error_class, judgement.deciding_class()) << round;
        const auto stored =
            chain::decided(TransactionFacts{"TX", "alice", "app", 0, {}}, judgement).results.front();
        expect_same(result, stored);
        for (const auto& finding : decided.findings) {
            const auto* root = judgement.root_cause_of(finding.receipt_id);
            ASSERT_EQ(finding.root_cause, root ? root->receipt_id : "") << round;
            ASSERT_EQ(finding.effect, effect_in(judgement, finding.receipt_id)) << round;
            if (finding.effect) effects.insert(*finding.effect);
            if (root) ++led_to;
        }
        if (result.near_status) near_says.insert(result.near_status->name());
        if (const auto* failure = deciding(judgement.failures, result.verdict)) {
            deciding_classes.insert(result.failure.error_class);
            const auto& decided_by = judgement.decided_by;
            const auto& id = failure->finding.receipt_id;
            ASSERT_TRUE(id.empty() || std::count(decided_by.begin(), decided_by.end(), id) == 1);
        }
        ASSERT_EQ(live.open_trees(), 0u);
        if (::testing::Test::HasFailure()) FAIL() << "round " << round;
    }
    EXPECT_GT(settled, 500);
    EXPECT_GT(led_to, 30);
    EXPECT_EQ(verdicts.size(), 5u) << "every verdict came up";
    EXPECT_EQ(near_says.size(), 2u);
    EXPECT_EQ(effects.size(), 2u) << "told and swallowed";
    EXPECT_EQ(deciding_classes.size(), 3u) << "every class of failure decided once";
}

TEST(LiveTrees, DoesNotJudgeATreeWhoseTransactionItDidNotSee) {
    LiveTrees live;
    Receipt receipt;
    receipt.receipt_id = "r";
    Outcome outcome;
    outcome.id = "r";
    outcome.status.kind = StatusKind::failure;
    live.executed("TX", {"parent", receipt, outcome, Role::detached}, {1, 0});
    live.executed("TX2", {"", receipt, outcome, Role::initial}, {1, 0});
    const auto decided = live.end_of_block();
    EXPECT_TRUE(decided.findings.empty());
    EXPECT_TRUE(decided.results.empty());
    EXPECT_EQ(live.open_trees(), 0u);
    EXPECT_EQ(live.take_late(), (std::vector<std::string>{"TX", "TX2"}))
        << "whoever has the rows judges them";
}

TEST(LiveTrees, ALocalReceiptMayBeToldBeforeItsTransaction) {
    LiveTrees live;
    Receipt receipt;
    receipt.receipt_id = "r";
    Outcome executed;
    executed.id = "r";
    executed.status.kind = StatusKind::success_value;
    live.executed("TX", {"", receipt, executed, Role::initial}, {5, 0});
    SignedTransaction transaction;
    transaction.hash = "TX";
    Outcome conversion;
    conversion.receipt_ids = {"r"};
    conversion.status.kind = StatusKind::success_receipt_id;
    live.transaction(transaction, conversion, {5, 0});
    const auto decided = live.end_of_block();
    ASSERT_EQ(decided.results.size(), 1u);
    EXPECT_EQ(decided.results[0].verdict, Verdict::succeeded);
}

TEST(LiveTrees, AFailedTransactionIsAResultAtOnce) {
    LiveTrees live;
    SignedTransaction transaction;
    transaction.hash = "TX";
    Outcome conversion;
    conversion.status.kind = StatusKind::failure;
    conversion.status.failure_json = R"({"InvalidTxError":"Expired"})";
    live.transaction(transaction, conversion, {5, 0});
    const auto decided = live.end_of_block();
    ASSERT_EQ(decided.results.size(), 1u);
    EXPECT_EQ(decided.results[0].verdict, Verdict::failed);
    EXPECT_EQ(decided.results[0].failure.error_class, "expired");
}

// Transactions T1, T2, ... at heights 1, 2, ..., each waiting for its receipt.
void open_trees(LiveTrees& live, base::Height count) {
    for (base::Height height = 1; height <= count; ++height) {
        const auto hash = "T" + std::to_string(height);
        SignedTransaction transaction;
        transaction.hash = hash;
        Outcome conversion;
        conversion.receipt_ids = {"r"};
        live.transaction(transaction, conversion, {height, 0});
        live.end_of_block();
    }
}

TEST(LiveTrees, NoTreeIsGivenUpBecauseItTakesLong) {
    LiveTrees live;
    open_trees(live, 1);
    Receipt receipt;
    Outcome executed;
    executed.id = "r";
    executed.status.kind = StatusKind::success_value;
    live.executed("T1", {"", receipt, executed, Role::initial}, {1'000'000, 0});
    EXPECT_EQ(live.end_of_block().results.size(), 1u);
    EXPECT_TRUE(live.take_late().empty());
}

// T -> r, which yields and waits for "y".
class Yielding : public ::testing::Test {
protected:
    Yielding() {
        open_trees(live_, 1);
        yield_.is_promise_yield = true;
        yield_.input_data_ids = {"y"};
        executed_.id = "r";
        executed_.status.kind = StatusKind::success_value;
        resume_.data_id = "y";
    }
    Decided run(BlockHeight height, bool in_scope = true) {
        live_.executed("T1", {"", yield_, executed_, Role::callback, OnResultChain::no, in_scope},
                       {height, 0});
        return live_.end_of_block();
    }
    LiveTrees live_;
    Receipt yield_;
    Outcome executed_;
    Receipt resume_;
};

TEST_F(Yielding, IsOverWithItsResume) {
    resume_.data = "";
    live_.resumed(resume_, 300);
    EXPECT_TRUE(run(300).findings.empty());
    EXPECT_TRUE(live_.take_late().empty());
}

TEST_F(Yielding, WithoutAResumeIsFound) {
    live_.resumed(resume_, 300);
    const auto decided = run(300);
    ASSERT_EQ(decided.findings.size(), 1u);
    EXPECT_EQ(decided.findings[0].finding_id, "yield_timed_out:r");
    EXPECT_EQ(decided.findings[0].handled, true);
    EXPECT_TRUE(live_.take_late().empty());
}

TEST_F(Yielding, OutOfScopeIsToldToNobody) {
    live_.resumed(resume_, 300);
    EXPECT_TRUE(run(300, false).findings.empty());
}

TEST_F(Yielding, IsLateWhereItsResumeWasListedBefore) {
    live_.resumed(resume_, 299);
    EXPECT_EQ(run(300).findings.size(), 1u);
    EXPECT_EQ(live_.take_late(), std::vector<std::string>{"T1"}) << "the resume has no tree yet";
}

TEST_F(Yielding, IsLateWhereItsResumeWasNotSeen) {
    EXPECT_TRUE(run(500).findings.empty());
    EXPECT_EQ(live_.take_late(), std::vector<std::string>{"T1"});
}

TEST(LiveTrees, OfTooManyThoseInWhichNothingHappenedForLongestAreGivenUp) {
    LiveTrees full(16);
    open_trees(full, 16);
    EXPECT_EQ(full.bound(), 0u);
    LiveTrees live(16);
    open_trees(live, 17);
    EXPECT_EQ(live.bound(), 4u);
    EXPECT_EQ(live.open_trees(), 13u);
    Receipt receipt;
    Outcome executed;
    executed.id = "r";
    executed.status.kind = StatusKind::success_value;
    for (const auto* tx_hash : {"T4", "T5"})
        live.executed(tx_hash, {"", receipt, executed, Role::initial}, {20, 0});
    EXPECT_EQ(live.end_of_block().results.size(), 1u);
    EXPECT_EQ(live.take_late(), std::vector<std::string>{"T4"});
    EXPECT_TRUE(live.take_late().empty());
}

}  // namespace
}  // namespace receiptd::chain
