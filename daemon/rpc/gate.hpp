// The waiting room of one host: coroutines enter by priority and get a slot. A thin shell over
// Admission.
#pragma once

#include "base/task.hpp"
#include "rpc/admission.hpp"
#include "rpc/time_and_chance.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <map>
#include <memory>
#include <optional>

namespace receiptd::rpc {

class Gate : public std::enable_shared_from_this<Gate> {
public:
    // One request's right to run; gives its place back when it goes.
    class Slot {
    public:
        explicit Slot(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}
        Slot(Slot&&) noexcept = default;
        Slot& operator=(Slot&&) = delete;
        ~Slot() {
            if (gate_) gate_->leave_slot();
        }

    private:
        std::shared_ptr<Gate> gate_;
    };

    Gate(base::asio::any_io_executor executor, std::shared_ptr<TimeAndChance> time, Admission::Limits limits);

    // Waits for a slot. nullopt: the host was blocked meanwhile, look for another one.
    base::Task<std::optional<Slot>> enter(Priority priority);

    void block_until(base::SteadyTime until);
    void unblock();
    void set_probing(bool probing) { admission_.set_probing(probing); }
    void set_limits(Admission::Limits limits);

    unsigned in_flight() const { return admission_.in_flight(); }
    // Requests running and waiting, as a share of the slots.
    double load() const;
    double available() { return admission_.available(time_->now()); }
    double per_second() const { return admission_.per_second(); }  // 0: no limit

private:
    class Waiter;
    void leave_slot();
    void pump();

    base::asio::any_io_executor executor_;
    std::shared_ptr<TimeAndChance> time_;
    Admission admission_;
    std::map<Admission::Ticket, Waiter*> waiters_;
};

}  // namespace receiptd::rpc
