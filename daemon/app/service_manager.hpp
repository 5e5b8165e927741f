// Tells the service manager that started us how we are, as systemd wants it: one datagram for each message,
// to the socket that NOTIFY_SOCKET names (sd_notify(3), whose protocol is stable). libsystemd would do the
// same, and bring five more libraries.
#pragma once

#include "base/clock.hpp"
#include "config/load.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/local/datagram_protocol.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::app {

class ServiceManager {
public:
    // Without NOTIFY_SOCKET nobody is told anything.
    ServiceManager(boost::asio::any_io_executor executor, const config::Environment& environment);

    bool listens() const { return address_.has_value(); }
    // It restarts us if it hears no keep_alive() for this long; nullopt: it does not wait for any.
    std::optional<base::Duration> patience() const { return patience_; }

    // The text of `systemctl status`: one line.
    void status(std::string_view text);
    void ready() { send("READY=1"); }
    void keep_alive() {
        if (patience_) send("WATCHDOG=1");
    }
    void stopping() { send("STOPPING=1\nSTATUS=stopping"); }

private:
    // Never waits, and never fails: a manager that does not listen is none.
    void send(const std::string& message);

    boost::asio::local::datagram_protocol::socket socket_;
    std::optional<boost::asio::local::datagram_protocol::endpoint> address_;
    std::optional<base::Duration> patience_;
};

}  // namespace receiptd::app
