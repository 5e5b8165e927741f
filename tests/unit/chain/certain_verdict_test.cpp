// The verdict of trees that are still under way.
#include "chain/tree/judgement.hpp"

#include "tree_story.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace receiptd::chain {
namespace {

using testing::random_story;
using testing::Story;

TEST(CertainVerdict, IsGivenBeforeTheAnnouncedRefundsAreThere) {
    Story callback;
    callback.receipt("r0", "alice", "app");
    callback.ok("r0", {"call", "settle"});
    callback.receipt("call", "app", "x", {}, {"d"});
    callback.fails("call");
    callback.receipt("settle", "app", "app", {"d"});
    callback.fails("settle", {"gas back"});
    EXPECT_FALSE(callback.judge().verdict);
    EXPECT_EQ(callback.judge().certain_verdict, Verdict::callback_failed);

    Story initial;
    initial.receipt("r0", "alice", "app");
    initial.fails("r0", {"back"});
    EXPECT_FALSE(initial.judge().verdict);
    EXPECT_EQ(initial.judge().certain_verdict, Verdict::failed);

    Story detached;
    detached.receipt("r0", "alice", "app");
    detached.ok("r0", {"fire"});
    detached.receipt("fire", "app", "other");
    detached.fails("fire", {"back"});
    EXPECT_EQ(detached.judge().certain_verdict, Verdict::receipt_failed);
}

TEST(CertainVerdict, OfAFailedCallbackIsGivenWhateverStillRuns) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"slow", "call", "settle"});
    story.receipt("call", "app", "x", {}, {"d"});
    story.ok("call");
    story.receipt("settle", "app", "app", {"d"});
    story.fails("settle");
    EXPECT_FALSE(story.judge().completed);
    EXPECT_EQ(story.judge().certain_verdict, Verdict::callback_failed);
}

TEST(CertainVerdict, OfADetachedFailureWaitsForWhatCanBeACallback) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"fire", "unseen"});
    story.receipt("fire", "app", "other");
    story.fails("fire", {"back"});
    EXPECT_FALSE(story.judge().certain_verdict);
    story.receipt("unseen", "app", "app", {"d"});
    EXPECT_FALSE(story.judge().certain_verdict);
    story.ok("unseen");
    EXPECT_EQ(story.judge().certain_verdict, Verdict::receipt_failed);
}

TEST(CertainVerdict, OfAReturnedFailureWaitsForWhatCanBeACallback) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.returns("r0", "last", {"last", "unseen"});
    story.receipt("last", "app", "other");
    story.fails("last", {"back"});
    EXPECT_FALSE(story.judge().certain_verdict);
    story.receipt("unseen", "app", "app");
    story.ok("unseen");
    EXPECT_EQ(story.judge().certain_verdict, Verdict::failed);
}

// As blocks and rows bring it: no outcome comes before the body of its receipt.
testing::Parts with_bodies_in_time(const testing::Parts& parts) {
    std::map<std::string, ReceiptFacts> bodies;
    for (const auto& part : parts)
        if (const auto* body = std::get_if<ReceiptFacts>(&part)) bodies.emplace(body->receipt_id, *body);
    testing::Parts ordered;
    for (const auto& part : parts) {
        if (const auto* outcome = std::get_if<OutcomeFacts>(&part))
            if (const auto body = bodies.find(outcome->id); body != bodies.end())
                ordered.emplace_back(body->second);
        ordered.push_back(part);
    }
    return ordered;
}

// The verdicts that were given after each part that arrived.
std::vector<std::optional<Verdict>> given(const testing::Parts& parts) {
    std::vector<std::optional<Verdict>> verdicts;
    testing::Parts arrived;
    for (const auto& part : parts) {
        arrived.push_back(part);
        verdicts.push_back(Story::judge(arrived).certain_verdict);
    }
    return verdicts;
}

TEST(CertainVerdict, IsTheLastWhateverArrivesLater) {
    std::mt19937 random(11);
    std::size_t early = 0;
    for (int round = 0; round < 60; ++round) {
        auto parts = random_story(random).parts;
        std::shuffle(parts.begin(), parts.end(), random);
        const auto last = Story::judge(parts).verdict;
        const auto verdicts = given(with_bodies_in_time(parts));
        const auto first = std::find_if(verdicts.begin(), verdicts.end(), [](auto each) { return each; });
        for (auto each = first; each != verdicts.end(); ++each) ASSERT_EQ(*each, *first) << "round " << round;
        if (last) {
            ASSERT_EQ(verdicts.back(), last) << "round " << round;
        }
        if (first < verdicts.end() - 1) ++early;
    }
    EXPECT_GT(early, 12u);
}

TEST(CertainVerdict, IsNeverAnotherEvenIfOutcomesComeBeforeTheirReceipts) {
    std::mt19937 random(12);
    for (int round = 0; round < 60; ++round) {
        auto parts = random_story(random).parts;
        std::shuffle(parts.begin(), parts.end(), random);
        std::set<Verdict> ever;
        for (const auto verdict : given(parts))
            if (verdict) ever.insert(*verdict);
        if (const auto last = Story::judge(parts).verdict) ever.insert(*last);
        ASSERT_LE(ever.size(), 1u) << "round " << round;
    }
}

}  // namespace
}  // namespace receiptd::chain
