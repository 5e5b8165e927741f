// A run where the time of a block is strange: no single host decides what time it is, nor what days there
// are.
#include "base/coroutine.hpp"
#include "base/iso_time.hpp"
#include "base/log.hpp"
#include "follow/pipeline.hpp"

#include <utility>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;

constexpr unsigned kTriedAtMost = 5;
constexpr auto kTooManyDays = 1s;
constexpr const char* kNotConfirmed = "TIME_NOT_CONFIRMED";

}  // namespace

// Where the run goes on instead of taking this block; nullopt: nothing speaks against its time, or the hosts
// tell it all the same, and it is marked.
base::Task<std::optional<base::Height>> Run::wrong_time(rpc::BlockContents& contents) {
    auto& state = engine_.state;
    const auto ref = chain::block_ref(contents.block().header);
    const auto time = time_of(ref);
    std::optional<base::WallTime> parent;
    if (continuity_.links(ref)) parent = time_of(*continuity_.last());
    const auto doubt = doubt_of_time(time, parent, state.times.agreed(), state.clock.wall());
    if (!doubt.empty()) {
        auto elsewhere = co_await untold(ref, contents.host,
                                         std::string(doubt) + ": block " + std::to_string(ref.height) +
                                             " has the time " + base::iso_time(time));
        if (elsewhere) co_return elsewhere;
        contents.mark(doubt);
    }
    if (follows_head()) judge_clock(time);
    co_return std::nullopt;
}

// The same for a block of a day that no stored block has. A block that is linked to a block below that is
// sure lies between it and the newest one that the hosts agree on.
base::Task<std::optional<base::Height>> Run::no_day(const rpc::BlockContents& contents) {
    auto& state = engine_.state;
    const auto ref = chain::block_ref(contents.block().header);
    const auto day = day_of(time_of(ref));
    if (open_day_ == day) co_return std::nullopt;
    auto word = co_await engine_.stores.blocks.open_day(day, storage::DayLeave::if_there);
    if (word == storage::DayWord::absent) {
        const bool is_sure = is_rooted_ && continuity_.links(ref) &&
                             contents.block().header.on_trust.empty() && day <= day_of(state.times.agreed());
        if (!is_sure && !state.times.is_near_agreed(day)) {
            auto elsewhere = co_await untold(ref, contents.host,
                                             "block " + std::to_string(ref.height) + " has the time " +
                                                 base::iso_time(time_of(ref)) + ", and no block of that day");
            if (elsewhere) co_return elsewhere;
            is_rooted_ = true;
        }
        const auto leave = is_sure && !follows_head() ? storage::DayLeave::free : storage::DayLeave::counted;
        word = co_await engine_.stores.blocks.open_day(day, leave);
        if (word == storage::DayWord::too_many)
            log::warn("blocks have more than ten new days a minute: they wait",
                      {{"height", ref.height}, {"time", base::iso_time(time_of(ref))}});
        if (word == storage::DayWord::too_many) co_await flush();
        while (word == storage::DayWord::too_many && !state.stop.requested()) {
            co_await state.pause(kTooManyDays);
            word = co_await engine_.stores.blocks.open_day(day, leave);
        }
        if (word != storage::DayWord::ready) co_return next_;
    }
    open_day_ = day;
    co_return std::nullopt;
}

// Where the run goes on instead of taking a block that the hosts do not tell alike; nullopt: they do, or
// there is only one.
base::Task<std::optional<base::Height>> Run::untold(const chain::BlockRef& block, const std::string& host,
                                                    const std::string& why) {
    if (!engine_.agreement.among_several()) {
        engine_.state.times.agree_on(block);
        co_return std::nullopt;
    }
    const auto told = co_await engine_.agreement.on(block);
    if (told == Told::yes) co_return std::nullopt;
    if (setbacks_ == 0) log::warn("a block is not taken from one host", {{"host", host}, {"why", why}});
    if (told == Told::no) engine_.agreement.doubt(host);
    if (follows_head()) engine_.agreement.hold_up();
    if (follows_head() || setbacks_ < kTriedAtMost) co_return co_await go_back();
    setbacks_ = 0;
    co_await give_up(next_, kNotConfirmed, why + ", which no other host tells");
    co_return next_ + 1;
}

// A block far ahead of the clock that the hosts agree on: the clock is wrong.
void Run::judge_clock(base::WallTime time) {
    auto& state = engine_.state;
    if (!is_ahead(time, state.clock.wall())) {
        state.wrong_clock.clear();
        return;
    }
    const bool is_said = !state.wrong_clock.empty();
    state.wrong_clock = "the clock of this machine is wrong: it shows " + base::iso_time(state.clock.wall()) +
                        ", and the hosts tell blocks of " + base::iso_time(time);
    if (!is_said)
        log::error("the clock of this machine is more than a day behind the chain",
                   {{"why", state.wrong_clock}});
}

}  // namespace receiptd::follow
