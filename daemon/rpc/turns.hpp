// Questions that cost a host much take turns there: one at a time, until it shows that it takes more. Those
// for history are never under way beside one for the head.
#pragma once

#include "base/event.hpp"
#include "base/task.hpp"
#include "rpc/error_class.hpp"
#include "rpc/source.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <memory>

namespace receiptd::rpc {

// How many may be under way. Pure.
class TurnWindow {
public:
    static constexpr unsigned kMost = 4;
    static constexpr unsigned kProof = 64;  // answers in a row that widen it by one

    unsigned size() const { return size_; }
    void answered();
    // The host is busy: half as many, and it takes four times the proof until it is tried again.
    void busy();

private:
    unsigned size_ = 1;
    unsigned answers_ = 0;
    unsigned proof_ = kProof;
};

class Turns {
public:
    explicit Turns(base::asio::any_io_executor executor) : changed_(std::move(executor)) {}

    // Until it is gone.
    class Turn {
    public:
        Turn(std::shared_ptr<Turns> turns, bool for_head);
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        ~Turn();
        void over(const Verdict& verdict);

    private:
        std::shared_ptr<Turns> turns_;
        const bool for_head_;
    };
    // How many are under way, or wait.
    unsigned load() const { return heads_ + others_ + heads_waiting_ + others_waiting_; }
    // Waits for it; cancelled while waiting it throws operation_aborted.
    static base::Task<std::shared_ptr<Turn>> take(std::shared_ptr<Turns> turns, Priority priority);

private:
    bool is_free(bool for_head) const;

    base::Event changed_;
    TurnWindow window_;
    unsigned heads_waiting_ = 0;
    unsigned others_waiting_ = 0;
    unsigned heads_ = 0;  // under way
    unsigned others_ = 0;
};

}  // namespace receiptd::rpc
