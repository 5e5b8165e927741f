#include "app/life_signs.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "base/offload.hpp"
#include "base/sleep.hpp"
#include "base/visible.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::app {
namespace {

using namespace std::chrono_literals;

constexpr base::Duration kTellEvery = 10s;

base::Task<void> pass_through(base::asio::thread_pool& pool) {
    return base::offload(pool, [] {});
}

}  // namespace

LifeSigns::LifeSigns(Runtime& runtime, std::function<bool()> hangs)
    : runtime_(runtime),
      hangs_(std::move(hangs)),
      manager_(runtime.context.get_executor(), config::process_environment()) {
    manager_.status("waiting for the database");
}

base::Task<void> LifeSigns::run() {
    if (!manager_.listens()) co_return;
    manager_.ready();
    const auto patience = manager_.patience();
    const auto every = patience ? std::min(*patience / 3, kTellEvery) : kTellEvery;
    base::asio::steady_timer timer(runtime_.context);
    for (bool hung = false;; co_await base::sleep_on(timer, every)) {
        co_await pass_through(runtime_.cpu);
        manager_.status(status());
        const bool hangs = hangs_();
        if (!hangs) manager_.keep_alive();
        if (hangs && !hung) log::error("a part of the daemon hangs: the service manager may restart it");
        hung = hangs;
    }
}

std::string LifeSigns::status() const {
    const auto now = runtime_.status();
    std::string text =
        now.committed ? "stored up to " + std::to_string(now.committed->height) : "nothing is stored yet";
    if (now.head) text += ", head " + std::to_string(now.head->height);
    for (const auto& why : api::unreadiness(now)) text += "; not ready: " + why.detail;
    return base::visible(text);
}

}  // namespace receiptd::app
