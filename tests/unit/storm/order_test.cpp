// Whatever becomes of the attempts, an incident is never opened after its end, and never left open.
#include "storm/order.hpp"

#include "support/group_queue_in_memory.hpp"

#include <gtest/gtest.h>

#include <random>

namespace receiptd::storm {
namespace {

using namespace std::chrono_literals;

Settings on_call() {
    Settings settings;
    settings.digest_after = 1min;
    settings.resolve_after = 10min;
    settings.keeps_open = true;
    return settings;
}
Settings chat() {
    auto settings = on_call();
    settings.keeps_open = false;
    return settings;
}
Settings alertmanager() {
    auto settings = chat();
    settings.repeats = true;
    return settings;
}

Outstanding digest() { return {.part = Part::digest, .was_tried = true}; }

TEST(Order, TheEndWaitsForTheAlert) {
    EXPECT_EQ(way_of({.was_tried = true}, Act::resolve, on_call()), Way::awaited);
    EXPECT_EQ(way_of({}, Act::resolve, chat()), Way::awaited);
    EXPECT_EQ(way_of({.was_tried = true}, Act::digest, on_call()), Way::beside);
}

TEST(Order, AnAlertThatIsNeverTakenHoldsUpNoIncidentThatADigestHasOpened) {
    const Outstanding refused{.was_tried = true, .is_group_told = true};
    EXPECT_EQ(way_of(refused, Act::resolve, on_call()), Way::overtaken);
    EXPECT_EQ(way_of(refused, Act::resolve, chat()), Way::awaited) << "chat loses nothing by waiting";
}

TEST(Order, ALaterDigestTakesTheCountOfAnEarlierOne) {
    EXPECT_EQ(way_of(digest(), Act::digest, on_call()), Way::overtaken);
    EXPECT_EQ(way_of(digest(), Act::resolve, on_call()), Way::overtaken);
    EXPECT_EQ(way_of(digest(), Act::resolve, chat()), Way::awaited) << "a receiver may have counted it";
    EXPECT_EQ(way_of({.part = Part::digest}, Act::resolve, chat()), Way::overtaken) << "never tried";
}

TEST(Order, WhatIsUnderWayIsAwaited) {
    auto message = digest();
    message.is_under_way = true;
    for (const auto next : {Act::digest, Act::resolve})
        EXPECT_EQ(way_of(message, next, on_call()), Way::awaited);
}

TEST(Order, AfterTheEndAnAlertIsSentByItselfAndADigestNotAtAll) {
    EXPECT_EQ(turn_of(Part::alert, {.is_over = true}), Turn::alone);
    EXPECT_EQ(turn_of(Part::digest, {.is_over = true}), Turn::overtaken);
    EXPECT_EQ(turn_of(Part::alert, {.is_over = true, .awaits_end = true}), Turn::in_group);
    EXPECT_EQ(turn_of(Part::end, {.is_over = true, .has_alerts = true}), Turn::later);
    EXPECT_EQ(turn_of(Part::end, {.is_over = true}), Turn::in_group);
}

struct Table {
    explicit Table(Settings its) : settings(its), queue(std::move(its)) {}

    std::string fault_after(test::GroupPlay play, const std::string& events) {
        auto its_queue = queue;
        play.plays_on(its_queue);
        play.settle();
        const auto fault = play.fault();
        return fault.empty() ? fault : events + ": " + fault;
    }
    // All that may happen next, `depth` events deep.
    void try_all(const test::MemoryGroupQueue& before, const test::GroupPlay& played,
                 const std::string& events, int depth) {
        queue = before;
        const auto fault = fault_after(played, events);
        ASSERT_EQ(fault, "");
        if (depth == 0) return;
        for (const char event : std::string_view("jcmerxhofdlOFDL")) {
            auto after = before;
            auto play = played;
            play.plays_on(after);
            if (!play.play(event)) continue;
            try_all(after, play, events + event, depth - 1);
            if (testing::Test::HasFatalFailure()) return;
        }
    }

    Settings settings;
    test::MemoryGroupQueue queue;
};

test::GroupPlay play_for(const Settings& settings, test::GroupQueue& queue) {
    test::GroupPlay play(queue);
    play.shows_until_end = settings.keeps_open || settings.repeats;
    play.counts_once = !settings.repeats;
    return play;
}

TEST(Order, HoldsInAllThatMayHappen) {
    for (const auto& settings : {on_call(), chat(), alertmanager()}) {
        Table table(settings);
        test::MemoryGroupQueue queue(settings);
        auto play = play_for(settings, queue);
        play.play('j');
        play.play('c');
        table.try_all(queue, play, "jc", 4);
    }
}

TEST(Order, HoldsHoweverLongItGoesOn) {
    for (const auto& settings : {on_call(), chat(), alertmanager()})
        for (unsigned seed = 1; seed <= 2'000; ++seed) {
            std::minstd_rand random(seed);
            test::MemoryGroupQueue queue(settings);
            auto play = play_for(settings, queue);
            std::string events;
            while (events.size() < 60) {
                const std::string_view all = seed % 2 == 0 ? "jjcccmmerxofdlOFDL" : "jjcccmmerxhofdlOFDL";
                events += all[random() % all.size()];
                play.play(events.back());
            }
            play.settle();
            ASSERT_EQ(play.fault(), "") << events;
        }
}

}  // namespace
}  // namespace receiptd::storm
