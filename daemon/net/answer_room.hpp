// Memory for large answers, from when they have come until what was made of them is let go: a few bytes of a
// host become a thousand times as many when they are unpacked, and some times as many when they are decoded.
#pragma once

#include "base/event.hpp"
#include "base/task.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <cstdint>
#include <list>
#include <memory>
#include <utility>

namespace receiptd::net {

class AnswerRoom : public std::enable_shared_from_this<AnswerRoom> {
public:
    struct Limits {
        std::uint64_t most_bytes = 0;       // of all that are in it
        std::uint64_t small = 1 << 20;      // an answer of up to so many bytes needs no room
        std::uint64_t bytes_of_a_byte = 1;  // that an answer takes for each of its own
        bool trims = false;                 // when it is empty, freed memory goes back to the system
    };
    // All waiting happens on `executor`, which must be single-threaded. `cpu` works on what is in the room,
    // and outlives it; null: the executor does.
    AnswerRoom(boost::asio::any_io_executor executor, boost::asio::thread_pool* cpu, Limits limits);

    // The room that one answer takes. It may go on any thread.
    class Place {
    public:
        Place(std::shared_ptr<AnswerRoom> room, std::uint64_t size);
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        ~Place();

        // The answer is not as large as it may have been. On the executor.
        void shrink(std::uint64_t size);
        // `passed`: a place that the answer took before this one; both are given back at once.
        void keep(std::shared_ptr<Place> passed) { passed_ = std::move(passed); }
        boost::asio::thread_pool* cpu() const { return room_->cpu_; }

    private:
        std::shared_ptr<Place> passed_;
        std::shared_ptr<AnswerRoom> room_;
        std::uint64_t size_;
    };
    // Given back when the last copy is gone; null: the answer is small.
    using Share = std::shared_ptr<Place>;

    std::uint64_t small() const { return limits_.small; }

    // It would not wait now.
    bool has_room_for(std::uint64_t size) const;
    // Waits for its turn, first come first served; more than there is at all is granted to one alone.
    // Cancelled while waiting it throws operation_aborted.
    static base::Task<Share> take(std::shared_ptr<AnswerRoom> room, std::uint64_t size);

private:
    struct Turn;
    bool fits(std::uint64_t size) const;
    void give_back(std::uint64_t size);

    boost::asio::any_io_executor executor_;
    boost::asio::thread_pool* cpu_;
    const Limits limits_;
    std::uint64_t taken_ = 0;
    std::list<Turn*> turns_;
    base::Event changed_;
};

// The threads that work on an answer: those of its room, if it is large and its room has some.
boost::asio::thread_pool& cpu_of(const AnswerRoom::Share& room, boost::asio::thread_pool& of_small);

}  // namespace receiptd::net
