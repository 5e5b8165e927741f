#include "rpc/whole_block_source.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace receiptd::rpc {
namespace {

using namespace std::chrono_literals;

// Ten blocks of mainnet.
constexpr base::Duration kLate = 6s;
constexpr chain::BlockHeight kBehind = 10;
constexpr base::Duration kWholeHeadAgain = 10s;
// Between questions for a block that the hosts do not have yet.
constexpr base::Duration kNextBlock = 300ms;

bool has_block(const std::optional<FetchResult>& result) { return result && contents_of(*result) != nullptr; }
std::string fault_of(const std::optional<FetchResult>& result) {
    const auto* fault = result ? std::get_if<Unavailable>(&*result) : nullptr;
    return fault != nullptr ? fault->reason + ": " + fault->detail : "no answer in time";
}
bool has_word(const std::optional<FetchResult>& result) {
    return result && !std::holds_alternative<NotYet>(*result) &&
           !std::holds_alternative<Unavailable>(*result);
}

}  // namespace

WholeBlockSource::WholeBlockSource(base::asio::any_io_executor executor, std::shared_ptr<TimeAndChance> time,
                                   std::unique_ptr<WholeBlockService> service,
                                   std::shared_ptr<BlockSource> elsewhere)
    : executor_(std::move(executor)),
      time_(std::move(time)),
      service_(std::move(service)),
      elsewhere_(std::move(elsewhere)) {}

base::Task<base::Result<chain::BlockRef, Unavailable>> WholeBlockSource::head() {
    const auto asked_at = time_->now();
    auto told = co_await service_->head();
    if (!told) {
        auto of_hosts = head_of_hosts(told.error());
        co_return co_await std::move(of_hosts);
    }
    headless_since_.reset();
    head_ = *told;
    if (told->is_whole) saw_head(told->block.height, time_->now() - asked_at);
    co_return std::move(told->block);
}

// A service that tells no head is late, whatever it says of single heights: it may deny them all.
base::Task<base::Result<chain::BlockRef, Unavailable>> WholeBlockSource::head_of_hosts(Unavailable fault) {
    if (!elsewhere_ || !is_long(headless_since_)) co_return fault;
    auto head = co_await elsewhere_->head();
    if (!head) co_return fault;
    told_elsewhere_ = std::max(told_elsewhere_, head->height);
    set_late(true, head->height, fault.reason + ": " + fault.detail);
    co_return head;
}

base::Task<void> WholeBlockSource::run() {
    base::asio::steady_timer timer(executor_);
    for (;;) {
        co_await time_->sleep(timer, kWholeHeadAgain);
        if (!late_ || !head_ || head_->is_whole) continue;
        const auto height = head_->block.height;
        const auto asked_at = time_->now();
        const auto told = co_await service_->fetch(height, Priority::head, false);
        if (is_whole(told)) saw_head(height, time_->now() - asked_at);
    }
}

base::Task<FetchResult> WholeBlockSource::fetch(chain::BlockHeight height, Priority priority,
                                                bool with_chunks) {
    auto result = co_await fetch_once(height, priority, with_chunks);
    if (!elsewhere_ || !is_whole(result) || !contents_of(result)->is_in_part()) co_return result;
    auto other = co_await elsewhere_->fetch(height, priority, with_chunks);
    const auto* from_hosts = contents_of(other);
    if (from_hosts != nullptr && !from_hosts->is_in_part()) co_return other;
    co_return result;
}

base::Task<FetchResult> WholeBlockSource::fetch_once(chain::BlockHeight height, Priority priority,
                                                     bool with_chunks) {
    if (!elsewhere_ || priority != Priority::head)
        co_return co_await service_->fetch(height, priority, with_chunks);
    auto result = co_await race(height, with_chunks);
    if (late_ && std::holds_alternative<NotYet>(result)) {
        base::asio::steady_timer timer(executor_);
        co_await time_->sleep(timer, kNextBlock);
    }
    co_return result;
}

// The service and the hosts, asked for one height.
struct WholeBlockSource::Race {
    explicit Race(base::asio::any_io_executor executor) : answered(std::move(executor)) {}
    std::map<Side, std::optional<FetchResult>> told;
    std::set<Side> asked;  // and they have not answered yet
    base::asio::steady_timer answered;
};

base::Task<FetchResult> WholeBlockSource::race(chain::BlockHeight height, bool with_chunks) {
    auto race = std::make_shared<Race>(executor_);
    base::TaskGroup asking(executor_);
    const auto first = late_ ? Side::hosts : Side::service;
    const auto side = co_await winner(race, asking, first, height, with_chunks);
    asking.cancel();
    co_await asking.join();
    auto& told = *race->told[side];
    if (side != first) set_late(side == Side::hosts, height, fault_of(race->told[Side::service]));
    if (side == Side::service && !std::holds_alternative<Unavailable>(told)) failing_since_.reset();
    co_return std::move(told);
}

// The second side is asked when the first one takes long, or tells faults and may not be waited for. That the
// hosts deny a height says less than the fault of the service.
base::Task<WholeBlockSource::Side> WholeBlockSource::winner(std::shared_ptr<Race> race,
                                                            base::TaskGroup& asking, Side first,
                                                            chain::BlockHeight height, bool with_chunks) {
    const auto second = first == Side::service ? Side::hosts : Side::service;
    const auto ask = [&](Side side) {
        race->asked.insert(side);
        asking.spawn(ask_one(race, side, height, with_chunks));
    };
    ask(first);
    auto ask_second_at = time_->now() + kLate;
    while (!asking.failed()) {
        if (has_word(race->told[first])) break;
        const auto& other = race->told[second];
        if (has_block(other) || (second == Side::service && has_word(other))) co_return second;
        bool second_now = time_->now() >= ask_second_at;
        if (race->told[first]) {
            const bool gives_way = std::holds_alternative<Unavailable>(*race->told[first]) &&
                                   (first == Side::hosts || is_long(failing_since_));
            if (!gives_way || race->told[second]) break;
            second_now = true;
        }
        if (second_now && !race->asked.contains(second)) {
            ask_second_at = time_->now() + kLate;
            race->told[second].reset();
            ask(second);
            if (race->told[second]) continue;  // at once
        }
        co_await time_->sleep(race->answered,
                              std::max<base::Duration>(ask_second_at - time_->now(), kNextBlock));
    }
    co_return first;
}

base::Task<void> WholeBlockSource::ask_one(std::shared_ptr<Race> race, Side side, chain::BlockHeight height,
                                           bool with_chunks) {
    auto& told = race->told[side];
    if (side == Side::service)
        told = co_await service_->fetch(height, Priority::head, with_chunks);
    else
        told = co_await ask_hosts(height, with_chunks);
    race->asked.erase(side);
    race->answered.cancel();
}

base::Task<FetchResult> WholeBlockSource::ask_hosts(chain::BlockHeight height, bool with_chunks) {
    auto result = co_await elsewhere_->fetch(height, Priority::head, with_chunks);
    if (std::holds_alternative<std::unique_ptr<BlockContents>>(result))
        told_elsewhere_ = std::max(told_elsewhere_, height);
    co_return result;
}

bool WholeBlockSource::is_long(std::optional<base::SteadyTime>& since) const {
    const auto now = time_->now();
    return now - since.emplace(since.value_or(now)) >= kLate;
}

void WholeBlockSource::set_late(bool late, chain::BlockHeight height, const std::string& why) {
    if (std::exchange(late_, late) == late) return;
    failing_since_.reset();
    if (late)
        log::warn("the whole-block service is late: blocks come from the JSON-RPC hosts until it keeps up",
                  {{"height", height}, {"because", why}});
    else
        log::info("the whole-block service keeps up again", {{"height", height}});
}

void WholeBlockSource::saw_head(chain::BlockHeight height, base::Duration waited) {
    if (waited < kLate && height + kBehind >= told_elsewhere_) set_late(false, height, {});
}

base::Task<FetchResult> WholeBlockSource::fetch_elsewhere(chain::BlockHeight height, Priority priority,
                                                          bool with_chunks) {
    if (elsewhere_) return elsewhere_->fetch(height, priority, with_chunks);
    return BlockSource::fetch_elsewhere(height, priority, with_chunks);
}

}  // namespace receiptd::rpc
