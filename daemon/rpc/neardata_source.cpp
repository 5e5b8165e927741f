#include "rpc/neardata_source.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "base/task_group.hpp"
#include "chain/proof/header_hash.hpp"
#include "chain/proof/outcomes_root.hpp"
#include "rpc/block_contents.hpp"
#include "rpc/block_source.hpp"
#include "rpc/questions.hpp"

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace receiptd::rpc {
namespace {

using namespace std::chrono_literals;

using WholeBlock = chain::Decoded<chain::WholeBlock>;

// Ten blocks of mainnet.
constexpr base::Duration kLate = 6s;
constexpr chain::BlockHeight kBehind = 10;
// Between questions for a block that the hosts do not have yet.
constexpr base::Duration kNextBlock = 300ms;

bool has_block(const std::optional<FetchResult>& result) {
    return result && std::holds_alternative<std::unique_ptr<BlockContents>>(*result);
}
bool has_word(const std::optional<FetchResult>& result) {
    return result && !std::holds_alternative<NotYet>(*result) &&
           !std::holds_alternative<Unavailable>(*result);
}

}  // namespace

Decoder<WholeBlock> whole_block_decoder(std::optional<chain::BlockHeight> height) {
    return [height](std::string body) -> base::Result<WholeBlock, std::string> {
        auto block = chain::decode_whole_block(std::move(body));
        if (!block) return refuse<WholeBlock>(block.error());
        const auto told = block->value.block.header.height;
        if (told > kHighest)
            return refuse<WholeBlock>("height " + std::to_string(told) + " is beyond any chain");
        if (height && told != *height)
            return refuse<WholeBlock>("asked for block " + std::to_string(*height) + ", got " +
                                      std::to_string(told));
        auto& whole = block->value;
        whole.block.header.hash_is = chain::header_hash(*block->document, whole.block.header);
        whole.block.covers_chunks = chain::covers_chunks(whole.block);
        for (auto& shard : whole.shards) {
            const auto root = chain::outcomes_root(shard);
            if (!root)
                return refuse<WholeBlock>("an outcome of shard " + std::to_string(shard.shard_id) +
                                          " has an id or a result that is no hash or no base64");
            shard.outcomes_root = root->to_string();
        }
        return std::move(*block);
    };
}

NeardataSource::NeardataSource(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                               std::shared_ptr<TimeAndChance> time, std::shared_ptr<Router> router,
                               std::shared_ptr<HeaderCheck> headers, std::shared_ptr<BlockSource> elsewhere)
    : executor_(std::move(executor)),
      pool_(pool),
      time_(std::move(time)),
      router_(std::move(router)),
      headers_(std::move(headers)),
      elsewhere_(std::move(elsewhere)) {}

base::Task<base::Result<chain::BlockRef, Unavailable>> NeardataSource::head() {
    auto call = get_neardata("/v0/last_block/final", Priority::head, std::nullopt);
    auto decode = whole_block_decoder(std::nullopt);
    const auto asked_at = time_->now();
    auto answer = co_await decoded_call<WholeBlock>(*router_, pool_, std::move(call), std::move(decode));
    if (!answer) co_return unavailable(answer.error());
    router_->hosts().front()->showed(answer->value.value.block.header);
    auto told = chain::block_ref(answer->value.value.block.header);
    if (host().doubted())
        co_return Unavailable{"doubted", host().name() + " has told what is not of this chain"};
    router_->hosts().front()->saw_block(told.height);
    saw_head(told.height, time_->now() - asked_at);
    if (told.height == router_->known_head()) kept_ = std::move(answer->value);
    co_return std::move(told);
}

base::Task<FetchResult> NeardataSource::fetch(chain::BlockHeight height, Priority priority,
                                              bool with_chunks) {
    if (kept_ && kept_->value.block.header.height == height) {
        auto whole = std::move(*kept_);
        kept_.reset();
        co_return co_await checked(std::move(whole));
    }
    if (!elsewhere_ || priority != Priority::head) co_return co_await ask_service(height, priority);
    auto result = co_await race(height, with_chunks);
    if (late_ && std::holds_alternative<NotYet>(result)) {
        base::asio::steady_timer timer(executor_);
        co_await time_->sleep(timer, kNextBlock);
    }
    co_return result;
}

// The service and the hosts, asked for one height.
struct NeardataSource::Race {
    explicit Race(base::asio::any_io_executor executor) : answered(std::move(executor)) {}
    std::map<Side, std::optional<FetchResult>> told;
    std::set<Side> asked;  // and they have not answered yet
    base::asio::steady_timer answered;
};

base::Task<FetchResult> NeardataSource::race(chain::BlockHeight height, bool with_chunks) {
    auto race = std::make_shared<Race>(executor_);
    base::TaskGroup asking(executor_);
    const auto first = late_ ? Side::hosts : Side::service;
    const auto side = co_await winner(race, asking, first, height, with_chunks);
    asking.cancel();
    co_await asking.join();
    auto& told = *race->told[side];
    if (side != first) set_late(side == Side::hosts, height);
    if (side == Side::service && !std::holds_alternative<Unavailable>(told)) failing_since_.reset();
    co_return std::move(told);
}

// The second side is asked when the first one takes long, or tells faults and may not be waited for. That the
// hosts deny a height says less than the fault of the service.
base::Task<NeardataSource::Side> NeardataSource::winner(std::shared_ptr<Race> race, base::TaskGroup& asking,
                                                        Side first, chain::BlockHeight height,
                                                        bool with_chunks) {
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
                                   (first == Side::hosts || fails_for_long());
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

base::Task<void> NeardataSource::ask_one(std::shared_ptr<Race> race, Side side, chain::BlockHeight height,
                                         bool with_chunks) {
    auto& told = race->told[side];
    if (side == Side::service)
        told = co_await ask_service(height, Priority::head);
    else
        told = co_await ask_hosts(height, with_chunks);
    race->asked.erase(side);
    race->answered.cancel();
}

base::Task<FetchResult> NeardataSource::ask_hosts(chain::BlockHeight height, bool with_chunks) {
    auto result = co_await elsewhere_->fetch(height, Priority::head, with_chunks);
    if (std::holds_alternative<std::unique_ptr<BlockContents>>(result))
        told_elsewhere_ = std::max(told_elsewhere_, height);
    co_return result;
}

bool NeardataSource::fails_for_long() {
    const auto now = time_->now();
    return now - failing_since_.emplace(failing_since_.value_or(now)) >= kLate;
}

void NeardataSource::set_late(bool late, chain::BlockHeight height) {
    if (std::exchange(late_, late) == late) return;
    failing_since_.reset();
    if (late)
        log::warn("the whole-block service is late: blocks come from the JSON-RPC hosts until it keeps up",
                  {{"height", height}});
    else
        log::info("the whole-block service keeps up again", {{"height", height}});
}

void NeardataSource::saw_head(chain::BlockHeight height, base::Duration waited) {
    if (waited < kLate && height + kBehind >= told_elsewhere_) set_late(false, height);
}

base::Task<FetchResult> NeardataSource::ask_service(chain::BlockHeight height, Priority priority) {
    auto call = get_neardata("/v0/block/" + std::to_string(height), priority, height);
    auto decode = whole_block_decoder(height);
    auto answer = co_await decoded_call<WholeBlock>(*router_, pool_, std::move(call), std::move(decode));
    if (answer) {
        router_->hosts().front()->showed(answer->value.value.block.header);
        co_return co_await checked(std::move(answer->value));
    }
    auto error = answer.error();
    if (error.absent && error.reason == "NO_BLOCK") co_return NoSuchHeight{error.detail};
    if (error.error_class == ErrorClass::not_yet) co_return NotYet{};
    co_return unavailable(std::move(error));
}

base::Task<FetchResult> NeardataSource::fetch_elsewhere(chain::BlockHeight height, Priority priority,
                                                        bool with_chunks) {
    if (elsewhere_) return elsewhere_->fetch(height, priority, with_chunks);
    return BlockSource::fetch_elsewhere(height, priority, with_chunks);
}

base::Task<FetchResult> NeardataSource::checked(WholeBlock whole) {
    if (headers_) {
        auto refusal = co_await headers_->refusal(whole.value.block, host().name());
        if (refusal) co_return std::move(*refusal);
    }
    co_return std::make_unique<NeardataBlock>(host().name(), std::move(whole));
}

}  // namespace receiptd::rpc
