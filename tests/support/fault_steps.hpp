// Faults by the step, after leveldb's fault-injecting Env: a scenario runs with its first step failing, then
// with its second, and so on, until it ends before the step that would fail. A step is a call of an interface
// that goes through Steps::take().
#pragma once

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "storage/errors.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace receiptd::test {

enum class Fault {
    before,       // a store throws and has done nothing
    after,        // it throws, though all is done
    unavailable,  // a source says that it cannot tell
    exception,    // it throws, which it should not
};

inline std::string fault_name(Fault fault) {
    switch (fault) {
        case Fault::before: return "before";
        case Fault::after: return "after";
        case Fault::unavailable: return "unavailable";
        case Fault::exception: return "exception";
    }
    return {};
}

class Steps {
public:
    Steps() = default;  // none fails
    // From 1 on.
    Steps(unsigned failing, Fault fault) : failing_(failing), fault_(fault) {}

    unsigned taken() const { return taken_; }
    bool failed() const { return failing_ > 0 && taken_ >= failing_; }

    template <class T>
    base::Task<T> take(base::Task<T> work) {
        const bool fails = ++taken_ == failing_;
        if (fails && fault_ != Fault::after) fail();
        if constexpr (std::is_void_v<T>) {
            co_await std::move(work);
            if (fails) fail();
        } else {
            auto result = co_await std::move(work);
            if (fails) fail();
            co_return std::move(result);
        }
    }

    // `instead`: how a source says that it cannot tell.
    template <class T, class Instead>
    base::Task<T> take(base::Task<T> work, Instead instead) {
        if (fault_ == Fault::unavailable && taken_ + 1 == failing_) {
            ++taken_;
            co_return T(std::move(instead));
        }
        co_return co_await take(std::move(work));
    }

private:
    void fail() const {
        const auto text = "step " + std::to_string(failing_) + " fails";
        if (fault_ == Fault::exception) throw std::runtime_error(text);
        throw storage::StorageError(text);
    }

    unsigned taken_ = 0;
    unsigned failing_ = 0;
    Fault fault_ = Fault::before;
};

inline constexpr unsigned kMostSteps = 5'000;

// Calls run(steps) with each of its steps failing in turn, and says how many there were: none is a mistake
// of the test. Ends with the first that goes wrong.
template <class Run>
unsigned sweep(Fault fault, const Run& run) {
    log::configure(log::Level::error, log::Format::plain);
    unsigned swept = 0;
    bool ended = false;
    for (unsigned step = 1; !ended && !::testing::Test::HasFailure() && step < kMostSteps; ++step) {
        SCOPED_TRACE(fault_name(fault) + ", step " + std::to_string(step));
        Steps steps(step, fault);
        run(steps);
        ended = !steps.failed();
        swept = ended ? swept : step;
    }
    log::configure(log::Level::info, log::Format::plain);
    EXPECT_LT(swept, kMostSteps - 1) << "it never ends";
    ::testing::Test::RecordProperty("steps_" + fault_name(fault), std::to_string(swept));
    return swept;
}

}  // namespace receiptd::test
