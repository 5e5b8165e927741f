#include "api/host_questions.hpp"

#include "base/coroutine.hpp"
#include "base/event.hpp"
#include "base/log.hpp"
#include "base/task_group.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::api {

// Held by those who wait for it; it ends with the last of them.
struct HostQuestions::Flight {
    explicit Flight(const base::asio::any_io_executor& executor) : landed(executor), asking(executor) {}
    base::Event landed;
    bool over = false;
    Tree tree;
    base::TaskGroup asking;
};

HostQuestions::HostQuestions(const base::asio::any_io_executor& executor, const base::Clock& clock)
    : executor_(executor), clock_(clock), budget_(kPerSecond, kBurst, clock.steady()) {}

base::Task<HostQuestions::Tree> HostQuestions::ask(HostQuestions& questions, std::string tx_hash,
                                                   base::Task<Tree> question,
                                                   std::chrono::milliseconds patience) {
    const auto flight = questions.join(tx_hash, question);
    if (!flight) co_return std::nullopt;
    if (!flight->over) co_await base::wait_for(flight->landed, questions.executor_, patience);
    co_return flight->tree;
}

std::shared_ptr<HostQuestions::Flight> HostQuestions::join(const std::string& tx_hash,
                                                           base::Task<Tree>& question) {
    std::erase_if(flights_, [](const auto& each) { return each.second.expired(); });
    if (const auto found = flights_.find(tx_hash); found != flights_.end()) return found->second.lock();
    if (flights_.size() >= kAtOnce || budget_.take(clock_.steady()) > base::Duration::zero()) return nullptr;
    auto flight = std::make_shared<Flight>(executor_);
    flights_[tx_hash] = flight;
    flight->asking.spawn(land(std::move(question), flight));
    return flight;
}

base::Task<void> HostQuestions::land(base::Task<Tree> question, std::weak_ptr<Flight> flight) {
    Tree tree;
    try {
        tree = co_await std::move(question);
    } catch (const std::exception& error) {
        if (!flight.expired()) log::debug("a reader's question to hosts failed", {{"because", error.what()}});
    }
    const auto waited_for = flight.lock();
    if (!waited_for) co_return;
    waited_for->tree = std::move(tree);
    waited_for->over = true;
    waited_for->landed.notify_all();
}

HostQuestions::Tree HostQuestions::known(const std::string& tx_hash) const {
    const auto since = clock_.steady() - kFresh;
    const auto found = std::find_if(answers_.begin(), answers_.end(), [&](const Answer& answer) {
        return answer.tx_hash == tx_hash && answer.at > since;
    });
    return found == answers_.end() ? std::nullopt : std::optional(found->tree);
}

bool HostQuestions::take_turn() {
    const auto now = clock_.steady();
    if (asked_at_ && now < *asked_at_ + kPause) return false;
    asked_at_ = now;
    return true;
}

void HostQuestions::keep(std::string tx_hash, watch::OpenTree tree) {
    answers_.push_front({std::move(tx_hash), std::move(tree), clock_.steady()});
    if (answers_.size() > kMostKept) answers_.pop_back();
}

}  // namespace receiptd::api
