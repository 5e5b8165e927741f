#include "net/unpack_room.hpp"

#include "base/coroutine.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace receiptd::net {

// Lives in the waiting coroutine's frame; its end, however it comes, leaves the queue in order.
struct UnpackRoom::Turn {
    explicit Turn(UnpackRoom& owner) : room(owner), place(owner.turns_.insert(owner.turns_.end(), this)) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
        room.turns_.erase(place);
        room.changed_.notify_all();
    }
    bool is_first() const { return room.turns_.front() == this; }

    UnpackRoom& room;
    std::list<Turn*>::iterator place;
};

UnpackRoom::UnpackRoom(boost::asio::any_io_executor executor, std::uint64_t most_bytes)
    : executor_(std::move(executor)), most_(most_bytes), changed_(executor_) {}

base::Task<UnpackRoom::Share> UnpackRoom::take(std::shared_ptr<UnpackRoom> room, std::uint64_t bytes) {
    const Turn turn(*room);
    while (!turn.is_first() || (room->taken_ > 0 && room->taken_ + bytes > room->most_))
        co_await room->changed_.wait();
    room->taken_ += bytes;
    const auto back = [room, bytes](const void*) {
        boost::asio::post(room->executor_, [room, bytes] { room->give_back(bytes); });
    };
    co_return Share(room.get(), back);
}

void UnpackRoom::give_back(std::uint64_t bytes) {
    taken_ -= bytes;
    changed_.notify_all();
}

}  // namespace receiptd::net
