#include "app/service_manager.hpp"

#include "base/line.hpp"
#include "base/log.hpp"

#include <boost/asio/buffer.hpp>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>

namespace receiptd::app {
namespace {

using Protocol = boost::asio::local::datagram_protocol;

// A path, or "@name" of Linux' abstract name space.
std::optional<Protocol::endpoint> address_of(std::string name) {
    constexpr std::size_t kLongest = 107;  // unix(7)
    const bool is_address = name.starts_with('/') || name.starts_with('@');
    if (!is_address || name.size() < 2 || name.size() > kLongest) return std::nullopt;
    if (name.front() == '@') name.front() = '\0';
    return Protocol::endpoint(name);
}

// WATCHDOG_USEC, unless WATCHDOG_PID says that it is meant for another process (sd_watchdog_enabled(3)).
std::optional<base::Duration> patience_of(const config::Environment& environment) {
    const auto pid = environment("WATCHDOG_PID");
    if (pid && *pid != std::to_string(::getpid())) return std::nullopt;
    const auto text = environment("WATCHDOG_USEC").value_or("");
    std::int64_t microseconds = 0;
    const auto end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, microseconds);
    constexpr std::int64_t kLongest = 86'400'000'000;
    if (read.ec != std::errc() || read.ptr != end || microseconds <= 0) return std::nullopt;
    return std::chrono::microseconds(std::min(microseconds, kLongest));
}

}  // namespace

ServiceManager::ServiceManager(boost::asio::any_io_executor executor, const config::Environment& environment)
    : socket_(std::move(executor)) {
    const auto name = environment("NOTIFY_SOCKET");
    if (!name || name->empty()) return;
    address_ = address_of(*name);
    if (!address_) {
        log::warn("NOTIFY_SOCKET is no address of a socket", {{"it_is", *name}});
        return;
    }
    boost::system::error_code error;
    socket_.open(Protocol(), error);
    if (!error) socket_.non_blocking(true, error);
    patience_ = patience_of(environment);
}

void ServiceManager::status(std::string_view text) { send("STATUS=" + base::one_line(text)); }

void ServiceManager::send(const std::string& message) {
    if (!address_) return;
    boost::system::error_code ignored;
    socket_.send_to(boost::asio::buffer(message), *address_, 0, ignored);
}

}  // namespace receiptd::app
