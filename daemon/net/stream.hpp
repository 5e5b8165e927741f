// One connection of the client, plain or TLS, with a time limit that can be set for each phase.
#pragma once

#include "base/task.hpp"
#include "net/http_client.hpp"
#include "net/response_reader.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::net {

class Stream final : public AnswerSource, public std::enable_shared_from_this<Stream> {
public:
    using Tcp = boost::asio::ip::tcp;
    using Socket = boost::asio::generic::stream_protocol::socket;
    using Error = boost::system::error_code;
    using SteadyTime = std::chrono::steady_clock::time_point;

    Stream(boost::asio::any_io_executor executor, const HttpClientOptions& options);

    // Resolves, connects and shakes hands (with `tls` only), all within `limit`.
    base::Task<std::optional<TransportError>> open(boost::asio::ssl::context* tls,
                                                   std::chrono::milliseconds limit);

    // The limit for what follows; when it is over, whatever runs fails and failure() says timeout.
    void set_limit(SteadyTime::duration limit);
    void clear_limit();

    base::Task<std::size_t> read_some(char* data, std::size_t size, Error& error) override;
    base::Task<void> write(std::array<boost::asio::const_buffer, 2> buffers, Error& error);
    SteadyTime opened() const { return opened_; }
    // Bytes received since the last call of expect_answer().
    std::uint64_t received() const override { return received_; }
    void expect_answer() { received_ = 0; }

    // For a kept connection: true if the server has not closed it and no unexpected bytes have come.
    bool looks_alive();
    // Ends whatever runs on it, for good.
    void stop();

    TransportError failure(TransportFault fault, std::string_view phase, const Error& error) const override;
    TransportError failure(TransportFault fault, std::string_view phase,
                           std::string_view cause) const override;

private:
    enum class Ended { no, timeout, stopped };
    struct Lookup;

    base::Task<std::optional<TransportError>> resolve(SteadyTime until, std::vector<Tcp::endpoint>& found);
    // Removes addresses that the filter refuses; an error if none is left.
    std::optional<TransportError> filter(std::vector<Tcp::endpoint>& endpoints) const;
    base::Task<std::optional<TransportError>> connect(SteadyTime until,
                                                      const std::vector<Tcp::endpoint>& endpoints);
    base::Task<std::optional<TransportError>> connect_there(SteadyTime until);
    // Asks the proxy for a way to the origin.
    base::Task<std::optional<TransportError>> open_tunnel(SteadyTime until);
    base::Task<std::optional<TransportError>> shake_hands(SteadyTime until, boost::asio::ssl::context& tls);
    std::shared_ptr<Lookup> start_lookup(const std::string& host, std::uint16_t port, SteadyTime until);
    void close();

    Url origin_;
    std::optional<base::Proxy> proxy_;
    AddressFilter filter_;
    std::string unix_path_;
    Socket socket_;
    std::optional<boost::asio::ssl::stream<Socket&>> tls_;
    boost::asio::steady_timer timer_;
    std::uint64_t limit_number_ = 0;  // tells a timer's late call from a current one
    std::shared_ptr<Lookup> lookup_;
    Ended ended_ = Ended::no;
    SteadyTime opened_ = std::chrono::steady_clock::now();
    std::uint64_t received_ = 0;
};

}  // namespace receiptd::net
