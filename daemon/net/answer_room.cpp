#include "net/answer_room.hpp"

#include "base/coroutine.hpp"

#include <boost/asio/post.hpp>

#include <malloc.h>

#include <algorithm>
#include <utility>

namespace receiptd::net {

// Lives in the waiting coroutine's frame; its end, however it comes, leaves the queue in order.
struct AnswerRoom::Turn {
    explicit Turn(AnswerRoom& owner) : room(owner), place(owner.turns_.insert(owner.turns_.end(), this)) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
        room.turns_.erase(place);
        room.changed_.notify_all();
    }
    bool is_first() const { return room.turns_.front() == this; }

    AnswerRoom& room;
    std::list<Turn*>::iterator place;
};

AnswerRoom::Place::Place(std::shared_ptr<AnswerRoom> room, std::uint64_t size)
    : room_(std::move(room)), size_(size) {
    room_->taken_ += size_ * room_->limits_.bytes_of_a_byte;
}

AnswerRoom::Place::~Place() {
    auto& room = *room_;
    boost::asio::post(room.executor_, [of = std::move(room_), size = size_] { of->give_back(size); });
}

void AnswerRoom::Place::shrink(std::uint64_t size) {
    if (size < size_) room_->give_back(size_ - size);
    size_ = std::min(size_, size);
}

AnswerRoom::AnswerRoom(boost::asio::any_io_executor executor, boost::asio::thread_pool* cpu, Limits limits)
    : executor_(std::move(executor)), cpu_(cpu), limits_(limits), changed_(executor_) {}

bool AnswerRoom::fits(std::uint64_t size) const {
    return taken_ == 0 || taken_ + size * limits_.bytes_of_a_byte <= limits_.most_bytes;
}

bool AnswerRoom::has_room_for(std::uint64_t size) const { return turns_.empty() && fits(size); }

base::Task<AnswerRoom::Share> AnswerRoom::take(std::shared_ptr<AnswerRoom> room, std::uint64_t size) {
    const Turn turn(*room);
    while (!turn.is_first() || !room->fits(size)) co_await room->changed_.wait();
    co_return std::make_shared<Place>(std::move(room), size);
}

void AnswerRoom::give_back(std::uint64_t size) {
    taken_ -= size * limits_.bytes_of_a_byte;
    // Pieces of megabytes come from the heap, where what is small and stays lies between them.
    if (taken_ == 0 && limits_.trims && cpu_ != nullptr) boost::asio::post(*cpu_, [] { ::malloc_trim(0); });
    changed_.notify_all();
}

boost::asio::thread_pool& cpu_of(const AnswerRoom::Share& room, boost::asio::thread_pool& of_small) {
    return room && room->cpu() != nullptr ? *room->cpu() : of_small;
}

}  // namespace receiptd::net
