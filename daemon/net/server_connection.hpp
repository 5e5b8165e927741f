// The socket of one session, over TCP or a Unix socket, with a time limit for whatever runs on it.
#pragma once

#include "base/task.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace receiptd::net {

class ServerConnection : public std::enable_shared_from_this<ServerConnection> {
public:
    using Socket = boost::asio::generic::stream_protocol::socket;
    using Error = boost::system::error_code;

    explicit ServerConnection(Socket socket);

    auto executor() { return timer_.get_executor(); }

    // Ends what runs on the socket when the time is over.
    void set_limit(std::chrono::steady_clock::duration limit);
    void clear_limit();
    // Whether the last limit was reached.
    bool timed_out() const { return timed_out_; }

    base::Task<std::size_t> read_some(char* data, std::size_t size, Error& error);
    // Both in whole, within `limit`. False: the connection is closed.
    base::Task<bool> write(boost::asio::const_buffer head, boost::asio::const_buffer body,
                           std::chrono::steady_clock::duration limit);
    // Says that nothing more comes, then reads what still does, for a moment, and closes.
    base::Task<void> linger();

    // Calls `gone` once if the client leaves before unwatch(). Nothing else may run on the socket meanwhile.
    void watch(std::function<void()> gone);
    void unwatch();

    bool is_open() const { return socket_.is_open(); }
    void reset();  // the client gets no orderly end
    void close();

private:
    bool client_is_gone();

    Socket socket_;
    boost::asio::steady_timer timer_;
    std::uint64_t limit_number_ = 0;
    bool timed_out_ = false;
    std::function<void()> gone_;
};

}  // namespace receiptd::net
