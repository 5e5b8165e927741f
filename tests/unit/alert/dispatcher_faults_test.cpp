// Whatever step fails, and whoever comes after: each alert is posted, with the same body, and recorded once.
#include "faulty.hpp"
#include "metrics/registry.hpp"

namespace receiptd::alert {
namespace {

using namespace std::chrono_literals;
using namespace alert::testing;
using test::Fault;

// An outbox of three deliveries, one of which is refused at first, and two dispatchers: the first dies.
class OutboxWork {
public:
    OutboxWork(test::Steps& of_store, test::Steps& of_sender)
        : faulty_store_(store_, of_store), faulty_sender_(sender_, of_sender) {
        store_.add("failed_receipt:r1", "lab");
        store_.add("failed_receipt:r1", "ops");
        store_.add("failed_receipt:r2", "ops");
        Answer busy;
        busy.status = 500;
        sender_.scripts["ops"].push_back(busy);
    }

    void run() {
        live();
        live();
    }

    void expect_delivered() const {
        EXPECT_EQ(store_.count("delivered"), 3u);
        for (const auto& [key, delivery] : store_.deliveries) {
            EXPECT_EQ(delivery.times_delivered, 1u) << key.first << " to " << key.second;
            EXPECT_GE(posts(key.first, key.second), 1) << key.first << " to " << key.second;
        }
        for (const auto& message : sender_.posted) EXPECT_EQ(message.body, store_.payloads.at(message.id));
    }

private:
    void live() {
        Dispatcher dispatcher(
            io_.get_executor(), cpu_, endpoints({"ops", "lab"}), faulty_store_, faulty_sender_, series_,
            clock_, [] { return 0.0; }, Site{});
        base::TaskGroup group(io_.get_executor());
        group.spawn(dispatcher.run());
        group.spawn(dispatcher.report());
        for (const auto wait :
             {base::Duration(0), base::Duration(0), base::Duration(5s), base::Duration(5min)}) {
            clock_.passed += wait;
            settle(dispatcher, io_, cpu_);
        }
        group.cancel();
        settle(dispatcher, io_, cpu_);
        clock_.passed += dispatcher.lease();
    }
    std::ptrdiff_t posts(const std::string& id, const std::string& endpoint) const {
        return std::count_if(sender_.posted.begin(), sender_.posted.end(), [&](const Message& message) {
            return message.id == id && message.endpoint == endpoint;
        });
    }

    boost::asio::io_context io_{1};
    boost::asio::thread_pool cpu_{1};
    FakeClock clock_;
    metrics::Registry registry_;
    metrics::AlertSeries series_{registry_};
    MemoryAlerts store_{clock_};
    FakeSender sender_{io_.get_executor()};
    FaultyDeliveries faulty_store_;
    FaultySender faulty_sender_;
};

class DispatcherFaults : public ::testing::TestWithParam<Fault> {};
using DispatcherFaultsOfTheStore = DispatcherFaults;
using DispatcherFaultsOfTheSender = DispatcherFaults;

TEST_P(DispatcherFaultsOfTheStore, LoseNoAlertAndRecordNoneTwice) {
    const auto swept = test::sweep(GetParam(), [](test::Steps& steps) {
        test::Steps never;
        OutboxWork work(steps, never);
        work.run();
        work.expect_delivered();
    });
    EXPECT_GE(swept, 20u);
}

TEST_P(DispatcherFaultsOfTheSender, LoseNoAlertAndRecordNoneTwice) {
    const auto swept = test::sweep(GetParam(), [](test::Steps& steps) {
        test::Steps never;
        OutboxWork work(never, steps);
        work.run();
        work.expect_delivered();
    });
    EXPECT_EQ(swept, 4u);
}

INSTANTIATE_TEST_SUITE_P(Store, DispatcherFaultsOfTheStore, ::testing::Values(Fault::before, Fault::after),
                         [](const auto& fault) { return test::fault_name(fault.param); });
INSTANTIATE_TEST_SUITE_P(Sender, DispatcherFaultsOfTheSender,
                         ::testing::Values(Fault::unavailable, Fault::exception, Fault::after),
                         [](const auto& fault) { return test::fault_name(fault.param); });

}  // namespace
}  // namespace receiptd::alert
