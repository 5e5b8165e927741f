// Memory for answers that are unpacked: a few bytes of a host become a thousand times as many.
#pragma once

#include "base/event.hpp"
#include "base/task.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <list>
#include <memory>

namespace receiptd::net {

class UnpackRoom : public std::enable_shared_from_this<UnpackRoom> {
public:
    // All waiting happens on `executor`, which must be single-threaded.
    UnpackRoom(boost::asio::any_io_executor executor, std::uint64_t most_bytes);

    // So many bytes, given back when the last copy is gone, on any thread.
    using Share = std::shared_ptr<const void>;

    // Waits for its turn, first come first served; more than there is at all is granted to one alone.
    // Cancelled while waiting it throws operation_aborted.
    static base::Task<Share> take(std::shared_ptr<UnpackRoom> room, std::uint64_t bytes);

private:
    struct Turn;
    void give_back(std::uint64_t bytes);

    boost::asio::any_io_executor executor_;
    const std::uint64_t most_;
    std::uint64_t taken_ = 0;
    std::list<Turn*> turns_;
    base::Event changed_;
};

}  // namespace receiptd::net
