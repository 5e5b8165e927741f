// The socket on which a server takes connections, over TCP or at a path of the file system.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>

#include <cstdint>
#include <string>

namespace receiptd::net {

class Listener {
public:
    using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>;

    // `listen`: host:port or unix:PATH, whose file gets `unix_mode`; one that a process left behind is
    // replaced. Throws std::system_error with the address in the text.
    Listener(const boost::asio::any_io_executor& executor, const std::string& listen, unsigned unix_mode);
    ~Listener() { close(); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    Acceptor& acceptor() { return acceptor_; }
    void close();  // removes the file, too

    std::string address() const { return address_; }  // as it can be connected to
    std::uint16_t port() const { return port_; }      // 0: of a Unix socket

private:
    void open_tcp(const std::string& listen);
    void open_unix(const std::string& path, unsigned mode);
    void bind(const Acceptor::endpoint_type& endpoint, boost::system::error_code& error);

    Acceptor acceptor_;
    std::string address_;
    std::uint16_t port_ = 0;
    std::string file_;
};

// "192.0.2.7" of a peer; "2001:db8:1:2::/64" by IPv6; an IPv4 address that was mapped to IPv6 as IPv4; "unix"
// of a Unix socket.
std::string client_of(const Listener::Acceptor::endpoint_type& peer);

}  // namespace receiptd::net
