#include "rpc/turns.hpp"

#include "base/coroutine.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace receiptd::rpc {
namespace {

constexpr unsigned kMostProof = std::numeric_limits<unsigned>::max() / 4;

class Waiting {
public:
    explicit Waiting(unsigned& count) : count_(count) { ++count_; }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() { --count_; }

private:
    unsigned& count_;
};

}  // namespace

void TurnWindow::answered() {
    if (size_ == kMost || ++answers_ < proof_) return;
    answers_ = 0;
    ++size_;
}

void TurnWindow::busy() {
    size_ = std::max(1U, size_ / 2);
    answers_ = 0;
    proof_ = std::min(proof_, kMostProof) * 4;
}

Turns::Turn::Turn(std::shared_ptr<Turns> turns, bool for_head)
    : turns_(std::move(turns)), for_head_(for_head) {
    ++(for_head_ ? turns_->heads_ : turns_->others_);
}

Turns::Turn::~Turn() {
    --(for_head_ ? turns_->heads_ : turns_->others_);
    turns_->changed_.notify_all();
}

void Turns::Turn::over(const Verdict& verdict) {
    if (verdict.reason == kBusy)
        turns_->window_.busy();
    else if (verdict.error_class == ErrorClass::ok)
        turns_->window_.answered();
}

bool Turns::is_free(bool for_head) const {
    if (for_head ? others_ > 0 : heads_ + heads_waiting_ > 0) return false;
    return heads_ + others_ < window_.size();
}

base::Task<std::shared_ptr<Turns::Turn>> Turns::take(std::shared_ptr<Turns> turns, Priority priority) {
    const bool for_head = priority == Priority::head;
    {
        const Waiting waiting(for_head ? turns->heads_waiting_ : turns->others_waiting_);
        while (!turns->is_free(for_head)) co_await turns->changed_.wait();
    }
    co_return std::make_shared<Turn>(std::move(turns), for_head);
}

}  // namespace receiptd::rpc
