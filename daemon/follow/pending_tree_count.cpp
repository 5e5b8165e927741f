#include "follow/pending_tree_count.hpp"

#include "base/coroutine.hpp"

#include <chrono>

namespace receiptd::follow {
namespace {

constexpr std::uint64_t kFew = 1'000;  // to count them takes a millisecond
constexpr auto kCountAgain = std::chrono::seconds(1);

}  // namespace

base::Task<std::uint64_t> PendingTreeCount::get(base::SteadyTime now) {
    if (count_ >= kFew && now < counted_at_ + kCountAgain) co_return count_;
    counted_at_ = now;
    count_ = co_await store_.pending_tree_count(included_in_);
    co_return count_;
}

}  // namespace receiptd::follow
