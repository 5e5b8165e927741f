// A dispatcher of two endpoints before a queue in memory.
#pragma once

#include "alert/dispatcher.hpp"
#include "fakes.hpp"
#include "metrics/registry.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace receiptd::alert::testing {

class DispatcherTest : public ::testing::Test {
protected:
    DispatcherTest() { group_.spawn(dispatcher_.run()); }
    ~DispatcherTest() override {
        group_.cancel();
        settle();
    }

    void settle() { testing::settle(dispatcher_, io_, cpu_); }
    void settle_after(base::Duration time) {
        clock_.passed += time;
        settle();
    }
    void answer(const std::string& endpoint, int status, std::optional<base::Duration> retry_after = {}) {
        Answer answer;
        answer.status = status;
        answer.retry_after = retry_after;
        sender_.scripts[endpoint].push_back(answer);
    }
    std::string metrics() { return registry_.serialize(); }

    boost::asio::io_context io_{1};
    boost::asio::thread_pool cpu_{1};
    FakeClock clock_;
    metrics::Registry registry_;
    metrics::AlertSeries series_{registry_};
    MemoryAlerts store_{clock_};
    FakeSender sender_{io_.get_executor()};
    Dispatcher dispatcher_{io_.get_executor(),
                           cpu_,
                           endpoints({"ops", "lab"}),
                           store_,
                           sender_,
                           series_,
                           clock_,
                           [] { return 0.0; },
                           Site{"mainnet", "https://receiptd.example.org", ""}};
    base::TaskGroup group_{io_.get_executor()};
};

}  // namespace receiptd::alert::testing
