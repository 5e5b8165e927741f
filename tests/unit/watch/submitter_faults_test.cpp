// Whatever step fails: what is handed in is stored before it is sent, and is sent by whoever comes after.
#include "unit/watch/faulty.hpp"
#include "unit/watch/submit_fakes.hpp"

#include <boost/asio/co_spawn.hpp>

#include <gmock/gmock.h>

namespace receiptd::watch::testing {
namespace {

using test::Fault;
using ::testing::Each;
using ::testing::SizeIs;

class HandedIn {
public:
    HandedIn(test::Steps& of_store, test::Steps& of_nodes)
        : store_(rows_, of_store), nodes_(chain_, of_nodes) {
        chain_.on_broadcast = [this](const std::string& tx_hash) {
            EXPECT_TRUE(rows_.rows.contains(tx_hash)) << "sent before it is stored";
        };
    }

    // A process takes a transaction and dies of what fails; another one goes on.
    void run() {
        const auto told = submit_and_go_on(request_for(transfer(6), "order-1"));
        const bool stored = !rows_.rows.empty();
        EXPECT_TRUE(stored || !told || told->has_error()) << "it was taken, and is not stored";
        live([this](Submitter& submitter) { return go_on(submitter); });
        EXPECT_EQ(!chain_.sent.empty(), stored);
        hand_in_again();
    }
    void expect_one_submission() {
        ASSERT_THAT(rows_.rows, SizeIs(1));
        const auto& row = rows_.rows.begin()->second;
        EXPECT_EQ(row.state.stage, chain::Stage::pending);
        EXPECT_FALSE(chain_.sent.empty());
        EXPECT_THAT(chain_.sent, Each(row.signed_tx_base64));
        auto other = submit_and_go_on(request_for(transfer(7), "order-1"));
        if (!other) other = submit_and_go_on(request_for(transfer(7), "order-1"));
        ASSERT_TRUE(other && other->has_error());
        EXPECT_EQ(other->error().kind, SubmitError::Kind::conflict);
        EXPECT_THAT(chain_.sent, Each(row.signed_tx_base64)) << "the key belongs to the first";
    }

private:
    // The step that fails may be one of these.
    void hand_in_again() {
        for (int tries = 0; tries < 2; ++tries) {
            const bool stored = !rows_.rows.empty();
            const auto again = submit_and_go_on(request_for(transfer(6), "order-1"));
            if (!again || again->has_error()) continue;
            EXPECT_EQ((*again)->existing, stored);
            return;
        }
        ADD_FAILURE() << "it cannot be handed in again";
    }
    // nullopt: the process died before it could tell.
    std::optional<SubmitResult> submit_and_go_on(SubmitRequest request) {
        std::optional<SubmitResult> told;
        live([&](Submitter& submitter) { return submit_into(submitter, std::move(request), told); });
        return told;
    }
    base::Task<void> submit_into(Submitter& submitter, SubmitRequest request,
                                 std::optional<SubmitResult>& told) {
        told = co_await submitter.submit(std::move(request));
        co_await go_on(submitter);
    }
    base::Task<void> go_on(Submitter& submitter) {
        co_await submitter.look();
        for (int round = 0; round < 2; ++round) {
            co_await submitter.send_due();
            time_->passed += std::chrono::minutes(2);
        }
    }
    template <class Work>
    void live(const Work& work) {
        Submitter submitter(context_.get_executor(), store_, nodes_, time_);
        base::TaskGroup group(context_.get_executor());
        group.spawn(work(submitter));
        context_.restart();
        context_.run();
    }

    base::asio::io_context context_{1};
    std::shared_ptr<FakeTime> time_ = std::make_shared<FakeTime>();
    Rows rows_{context_.get_executor(), *time_};
    FakeChain chain_;
    FaultyWatches store_;
    FaultyNodes nodes_;
};

class SubmitterFaults : public ::testing::TestWithParam<Fault> {};
using SubmitterFaultsOfTheStore = SubmitterFaults;
using SubmitterFaultsOfTheNodes = SubmitterFaults;

TEST_P(SubmitterFaultsOfTheStore, NeitherLoseNorDoubleASubmission) {
    const auto swept = test::sweep(GetParam(), [](test::Steps& steps) {
        test::Steps never;
        HandedIn work(steps, never);
        work.run();
        work.expect_one_submission();
    });
    EXPECT_GE(swept, 12u);
}

TEST_P(SubmitterFaultsOfTheNodes, NeitherLoseNorDoubleASubmission) {
    const auto swept = test::sweep(GetParam(), [](test::Steps& steps) {
        test::Steps never;
        HandedIn work(never, steps);
        work.run();
        work.expect_one_submission();
    });
    EXPECT_GE(swept, 8u);
}

INSTANTIATE_TEST_SUITE_P(Store, SubmitterFaultsOfTheStore, ::testing::Values(Fault::before, Fault::after),
                         [](const auto& fault) { return test::fault_name(fault.param); });
INSTANTIATE_TEST_SUITE_P(Nodes, SubmitterFaultsOfTheNodes,
                         ::testing::Values(Fault::unavailable, Fault::exception, Fault::after),
                         [](const auto& fault) { return test::fault_name(fault.param); });

}  // namespace
}  // namespace receiptd::watch::testing
