// A submitter over a store in memory and a chain that answers as it is told.
#pragma once

#include "base/coroutine.hpp"
#include "unit/watch/submit_fakes.hpp"

#include <boost/asio/co_spawn.hpp>

#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace receiptd::watch::testing {

inline base::Task<void> submit_into(Submitter& submitter, SubmitRequest request,
                                    std::optional<SubmitResult>& result) {
    result = co_await submitter.submit(std::move(request));
}

class SubmitterTest : public ::testing::Test {
protected:
    // nullopt: it failed on the way.
    std::optional<SubmitResult> submit(SubmitRequest request) {
        std::optional<SubmitResult> result;
        run(submit_into(*submitter, std::move(request), result));
        return result;
    }
    void run(base::Task<void> task) {
        std::exception_ptr failure;
        base::asio::co_spawn(context, std::move(task), [&](std::exception_ptr error) { failure = error; });
        context.restart();
        context.run();
        try {
            if (failure) std::rethrow_exception(failure);
        } catch (const std::runtime_error&) {
        }
    }
    // Until nothing new can happen.
    void it_goes_on() {
        run(submitter->look());
        for (int round = 0; round < 3; ++round) {
            run(submitter->send_due());
            time->passed += std::chrono::minutes(2);
        }
    }
    chain::Stage stage() { return rows.rows.begin()->second.state.stage; }

    base::asio::io_context context{1};
    std::shared_ptr<FakeTime> time = std::make_shared<FakeTime>();
    Rows rows{context.get_executor(), *time};
    FakeChain chain;
    std::unique_ptr<Submitter> submitter =
        std::make_unique<Submitter>(context.get_executor(), rows, chain, time);
};

}  // namespace receiptd::watch::testing
