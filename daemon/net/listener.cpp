#include "net/listener.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <system_error>

namespace receiptd::net {

namespace asio = boost::asio;

namespace {

using tcp = asio::ip::tcp;
using Error = boost::system::error_code;
using Generic = asio::generic::stream_protocol;

constexpr std::string_view kUnix = "unix:";

[[noreturn]] void cannot_listen(const std::string& address, const std::error_code& why) {
    throw std::system_error(why, "cannot listen on " + address);
}

// "127.0.0.1:80", "[::1]:80", "localhost:80"
tcp::endpoint parse_listen(const asio::any_io_executor& executor, const std::string& text) {
    const std::size_t colon = text.rfind(':');
    const auto bad = std::make_error_code(std::errc::invalid_argument);
    if (colon == std::string::npos) cannot_listen(text, bad);
    std::uint16_t port = 0;
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data() + colon + 1, end, port);
    if (problem != std::errc{} || stop != end) cannot_listen(text, bad);
    std::string host = text.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    Error error;
    const auto address = asio::ip::make_address(host, error);
    if (!error) return {address, port};
    tcp::resolver resolver(executor);
    const auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, error);
    if (error || found.empty()) cannot_listen(text, error ? std::error_code(error) : bad);
    return found.begin()->endpoint();
}

tcp::endpoint tcp_endpoint(const Generic::endpoint& generic) {
    tcp::endpoint endpoint;
    if (generic.size() > endpoint.capacity()) return endpoint;
    std::memcpy(endpoint.data(), generic.data(), generic.size());
    endpoint.resize(generic.size());
    return endpoint;
}

// A process that was killed leaves its file. Nobody else's file is removed, nor one that somebody listens on.
void remove_leftover(const std::string& path) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0 || !S_ISSOCK(found.st_mode)) return;
    asio::io_context context;
    asio::local::stream_protocol::socket probe(context);
    Error error;
    probe.connect(asio::local::stream_protocol::endpoint(path), error);
    if (error == asio::error::connection_refused) ::unlink(path.c_str());
}

}  // namespace

Listener::Listener(const asio::any_io_executor& executor, const std::string& listen, unsigned unix_mode)
    : acceptor_(executor) {
    if (listen.starts_with(kUnix))
        open_unix(listen.substr(kUnix.size()), unix_mode);
    else
        open_tcp(listen);
}

void Listener::bind(const Acceptor::endpoint_type& endpoint, Error& error) {
    acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) acceptor_.non_blocking(true, error);
}

void Listener::open_tcp(const std::string& listen) {
    const tcp::endpoint endpoint = parse_listen(acceptor_.get_executor(), listen);
    Error error;
    acceptor_.open(Generic(endpoint.protocol()), error);
    if (!error) acceptor_.set_option(Acceptor::reuse_address(true), error);
    if (!error) bind(endpoint, error);
    if (error) cannot_listen(listen, error);
    const auto local = tcp_endpoint(acceptor_.local_endpoint(error));
    const std::string host = local.address().to_string();
    port_ = local.port();
    address_ = (local.address().is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(port_);
}

void Listener::open_unix(const std::string& path, unsigned mode) {
    address_ = std::string(kUnix) + path;
    using Local = asio::local::stream_protocol;
    if (path.size() >= sizeof(sockaddr_un::sun_path))
        cannot_listen(address_, std::make_error_code(std::errc::filename_too_long));
    remove_leftover(path);
    Error error;
    acceptor_.open(Generic(Local()), error);
    // Linux makes the file with the mode of the descriptor, less the umask: it is never open to more than
    // `mode`.
    if (!error) ::fchmod(acceptor_.native_handle(), mode);
    if (!error) bind(Local::endpoint(path), error);
    if (error) cannot_listen(address_, error);
    file_ = path;
    ::chmod(path.c_str(), mode);
}

void Listener::close() {
    if (!acceptor_.is_open()) return;
    if (!file_.empty()) ::unlink(file_.c_str());
    Error ignored;
    acceptor_.close(ignored);
}

std::string client_of(const Listener::Acceptor::endpoint_type& peer) {
    const int family = peer.protocol().family();
    if (family != AF_INET && family != AF_INET6) return "unix";
    const auto address = tcp_endpoint(peer).address();
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
    if (address.is_v4()) return address.to_string();
    // A line has all addresses of a /64.
    auto line = address.to_v6().to_bytes();
    std::fill(line.begin() + 8, line.end(), 0);
    return asio::ip::make_address_v6(line).to_string() + "/64";
}

}  // namespace receiptd::net
