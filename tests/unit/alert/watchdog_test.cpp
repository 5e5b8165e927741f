#include "alert/watchdog.hpp"
#include "base/coroutine.hpp"
#include "metrics/registry.hpp"
#include "unit/net/net_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <functional>

namespace receiptd::alert {
namespace {

using namespace net::testing;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

// A second passes with each look at it, but none after a given one.
class LookedAtClock final : public base::Clock {
public:
    base::WallTime wall() const override { return base::WallTime(1'700'000'000s); }
    base::SteadyTime steady() const override { return base::SteadyTime(1h + std::min(++looks_, last) * 1s); }
    int last = 600;

private:
    mutable std::atomic<int> looks_ = 0;
};

struct TakenRequest {
    std::string head, body;
    std::string header(const std::string& name) const {
        const auto at = head.find("\r\n" + name + ": ");
        if (at == std::string::npos) return {};
        const auto from = at + name.size() + 4;
        return head.substr(from, head.find("\r\n", from) - from);
    }
};

std::size_t length_of(const std::string& head) {
    const TakenRequest request{head, ""};
    const auto text = request.header("Content-Length");
    return text.empty() ? 0 : std::stoul(text);
}

using Answering = std::function<std::string(const TakenRequest&)>;

// One request on each connection; `answer` says what it gets.
base::Task<void> take_one(tcp::socket& socket, Answering answer) {
    TakenRequest request;
    std::string text;
    const auto end =
        co_await asio::async_read_until(socket, asio::dynamic_buffer(text), "\r\n\r\n", asio::use_awaitable);
    request.head = text.substr(0, end);
    request.body = text.substr(end);
    const auto length = length_of(request.head);
    while (request.body.size() < length) {
        char some[4'096];
        const auto read = co_await socket.async_read_some(asio::buffer(some), asio::use_awaitable);
        request.body.append(some, read);
    }
    co_await write_text(socket, answer(request));
}

constexpr const char* kTaken = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
constexpr const char* kFailed = "HTTP/1.1 500 Oops\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

class WatchdogTest : public ::testing::Test {
protected:
    WatchdogTest()
        : server_(io_, [this](tcp::socket& socket, std::size_t) {
              return take_one(socket, [this](const TakenRequest& request) { return answer(request); });
          }) {
        const auto home = "http://127.0.0.1:" + std::to_string(server_.port());
        config::Endpoint endpoint;
        endpoint.name = "ops";
        endpoint.url = base::Secret(home + "/hook");
        endpoint.secret = base::Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        endpoint.allow_private = true;
        options_.endpoint = endpoint;
        options_.stalled_after = 60s;
        options_.ping_every = 1ms;
        options_.daemon = "host:7";
        options_.look_every = 1ms;
        options_.waits = {1ms, 1ms};
    }

    std::string answer(const TakenRequest& request) {
        requests_.push_back(request);
        return answers_(request);
    }
    // Until that is so.
    void run_until(const std::function<bool()>& so) {
        io_.restart();
        while (!so() && io_.run_one() > 0) {
        }
    }
    void tell_fresh(Watchdog& watchdog) {
        Readings readings;
        readings.taken_at = clock_.steady() + 1h;  // for the rest of the test
        readings.leads = true;
        watchdog.tell(std::move(readings));
    }
    nlohmann::json body(std::size_t i) const { return nlohmann::json::parse(requests_.at(i).body); }

    asio::io_context io_{1};
    std::vector<TakenRequest> requests_;
    Answering answers_ = [](const TakenRequest&) { return kTaken; };
    ScriptedServer server_;
    LookedAtClock clock_;
    metrics::Registry registry_;
    metrics::WatchdogSeries series_{registry_};
    WatchdogOptions options_;
};

TEST_F(WatchdogTest, TellsThatNobodyTakesReadingsUntilSomebodyDoes) {
    Watchdog watchdog(options_, series_, clock_);
    answers_ = [&](const TakenRequest&) {
        if (requests_.size() == 1) return kFailed;  // told again
        if (requests_.size() == 2) tell_fresh(watchdog);
        return kTaken;
    };
    watchdog.start();
    run_until([this] { return requests_.size() == 3; });
    watchdog.stop();
    EXPECT_EQ(body(0)["type"], "daemon.stalled");
    EXPECT_EQ(body(0)["data"]["parts"][0]["part"], kEventLoop);
    EXPECT_EQ(requests_[0].body, requests_[1].body);
    EXPECT_EQ(requests_[0].header("webhook-id"), "daemon:host:7:1699999940:1");
    EXPECT_EQ(requests_[1].header("webhook-id"), "daemon:host:7:1699999940:1");
    EXPECT_EQ(body(2)["type"], "daemon.recovered");
    EXPECT_EQ(requests_[2].header("webhook-id"), "daemon:host:7:1699999940:2");
    const auto signer = Signer::from(options_.endpoint->secret);
    EXPECT_EQ(requests_[2].header("webhook-signature"),
              signer->sign("daemon:host:7:1699999940:2", 1'700'000'000, requests_[2].body));
    EXPECT_THAT(registry_.serialize(), HasSubstr("receiptd_watchdog_messages_total{outcome=\"failed\"} 1"));
    EXPECT_THAT(registry_.serialize(), HasSubstr("receiptd_stalled{part=\"event loop\"} 0"));
}

// An outage of its endpoint may be longer than all waits, and the next repetition hours away.
TEST_F(WatchdogTest, IsHeardAsSoonAsSomebodyTakesItsMessageWhileItStandsStill) {
    Watchdog watchdog(options_, series_, clock_);
    answers_ = [this](const TakenRequest&) { return requests_.size() < 7 ? kFailed : kTaken; };
    watchdog.start();
    run_until([this] { return requests_.size() == 7; });
    watchdog.stop();
    for (const auto& request : requests_)
        EXPECT_EQ(request.header("webhook-id"), "daemon:host:7:1699999940:1");
}

TEST_F(WatchdogTest, RepeatsThatItStandsStillWhetherOrNotSomebodyHasTakenIt) {
    clock_.last = 2'000;
    Watchdog watchdog(options_, series_, clock_);
    answers_ = [](const TakenRequest&) { return kFailed; };
    watchdog.start();
    const std::string second = "daemon:host:7:1699999940:2";
    run_until([&] { return !requests_.empty() && requests_.back().header("webhook-id") == second; });
    watchdog.stop();
    EXPECT_EQ(requests_[0].header("webhook-id"), "daemon:host:7:1699999940:1");
}

TEST_F(WatchdogTest, PingsWhileThisDaemonLeadsAndAllIsWell) {
    options_.endpoint.reset();
    options_.ping_url = base::Secret("http://127.0.0.1:" + std::to_string(server_.port()) + "/ping/T0KEN");
    Watchdog watchdog(options_, series_, clock_);
    tell_fresh(watchdog);
    answers_ = [&](const TakenRequest&) {
        // After the third nobody takes readings any more, and in the end it stands still.
        if (requests_.size() == 3) watchdog.tell(Readings{base::SteadyTime(1h), true, {}});
        return requests_.size() == 2 ? kFailed : kTaken;
    };
    watchdog.start();
    run_until([this] { return requests_.size() >= 3; });
    const auto stalled = [this] {
        return registry_.serialize().find("receiptd_stalled{part=\"event loop\"} 1") != std::string::npos;
    };
    while (!stalled()) io_.poll();
    watchdog.stop();
    EXPECT_THAT(requests_[0].head, ::testing::StartsWith("GET /ping/T0KEN HTTP/1.1\r\n"));
    EXPECT_THAT(registry_.serialize(), HasSubstr("receiptd_watchdog_pings_total{outcome=\"failed\"} 1"));
}

TEST_F(WatchdogTest, SendsNoPingWhileAnotherDaemonLeads) {
    options_.ping_url = base::Secret("http://127.0.0.1:" + std::to_string(server_.port()) + "/ping");
    Watchdog watchdog(options_, series_, clock_);
    // The last message shows that it has looked often enough.
    watchdog.tell(Readings{base::SteadyTime(1h), false, {}});
    watchdog.start();
    run_until([this] { return !requests_.empty(); });
    watchdog.stop();
    ASSERT_EQ(requests_.size(), 1U);
    EXPECT_EQ(body(0)["type"], "daemon.stalled");
}

TEST_F(WatchdogTest, TakesOverANewSecret) {
    Watchdog watchdog(options_, series_, clock_);
    auto other = options_.endpoint;
    other->secret = base::Secret("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    watchdog.reload(other, base::Secret(), base::Secret());
    watchdog.start();
    run_until([this] { return !requests_.empty(); });
    watchdog.stop();
    EXPECT_EQ(requests_[0].header("webhook-signature"),
              Signer::from(other->secret)
                  ->sign(requests_[0].header("webhook-id"), 1'700'000'000, requests_[0].body));
}

}  // namespace
}  // namespace receiptd::alert
