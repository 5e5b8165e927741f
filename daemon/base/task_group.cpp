#include "base/task_group.hpp"

#include "base/coroutine.hpp"
#include "base/event.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include <set>
#include <utility>
#include <vector>

namespace receiptd::base {
namespace {

bool is_cancellation(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const boost::system::system_error& e) {
        return e.code() == asio::error::operation_aborted;
    } catch (...) {
        return false;
    }
}

}  // namespace

struct TaskGroup::Shared {
    explicit Shared(asio::any_io_executor on) : executor(on), ended(on) {}
    void note(const std::exception_ptr& error) {
        if (!first_error) first_error = error;
        if (on_failure) on_failure(error);
    }
    asio::any_io_executor executor;
    Event ended;
    std::set<std::shared_ptr<asio::cancellation_signal>> signals;
    std::exception_ptr first_error;
    std::function<void(const std::exception_ptr&)> on_failure;
};

TaskGroup::TaskGroup(asio::any_io_executor executor,
                     std::function<void(const std::exception_ptr&)> on_failure)
    : shared_(std::make_shared<Shared>(executor)) {
    shared_->on_failure = std::move(on_failure);
}

TaskGroup::~TaskGroup() { cancel(); }

void TaskGroup::spawn(Task<void> task) {
    auto signal = std::make_shared<asio::cancellation_signal>();
    shared_->signals.insert(signal);
    asio::co_spawn(
        shared_->executor, std::move(task),
        asio::bind_cancellation_slot(signal->slot(), [shared = shared_, signal](std::exception_ptr error) {
            shared->signals.erase(signal);
            // Asio 1.81 may have an emit() of this signal in its queue still.
            asio::post(shared->executor, [signal] {});
            if (error && !is_cancellation(error)) shared->note(error);
            shared->ended.notify_all();
        }));
}

void TaskGroup::cancel() {
    const std::vector<std::shared_ptr<asio::cancellation_signal>> now(shared_->signals.begin(),
                                                                      shared_->signals.end());
    for (const auto& signal : now) signal->emit(asio::cancellation_type::terminal);
}

Task<void> TaskGroup::join() {
    auto shared = shared_;
    while (!shared->signals.empty()) co_await shared->ended.wait();
    if (shared->first_error) std::rethrow_exception(shared->first_error);
}

bool TaskGroup::failed() const { return shared_->first_error != nullptr; }
std::size_t TaskGroup::running() const { return shared_->signals.size(); }

}  // namespace receiptd::base
