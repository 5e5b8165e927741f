// An answer means the same in whatever pieces it comes, and is never longer than allowed.
#include "fuzz/http_pieces.hpp"
#include "fuzz/visit_model.hpp"
#include "net/response_reader.hpp"
#include "net/retry_after.hpp"
#include "net/url.hpp"
#include "unit/net/net_loop.hpp"

namespace {

namespace net = receiptd::net;
using receiptd::fuzz::require;
using Error = boost::system::error_code;
using Result = receiptd::base::Result<net::Answer, net::TransportError>;

constexpr std::uint64_t kLimit = 2'000;

class Bytes final : public net::AnswerSource {
public:
    Bytes(std::string_view bytes, std::size_t largest_piece) : pieces_(bytes, largest_piece) {}
    receiptd::base::Task<std::size_t> read_some(char* data, std::size_t size, Error& error) override {
        const auto count = pieces_.take(data, size);
        if (count == 0) error = boost::asio::error::eof;
        received_ += count;
        co_return count;
    }
    std::uint64_t received() const override { return received_; }
    net::TransportError failure(net::TransportFault fault, std::string_view phase,
                                const Error& error) const override {
        return failure(fault, phase, error.message());
    }
    net::TransportError failure(net::TransportFault fault, std::string_view phase,
                                std::string_view cause) const override {
        net::TransportError made;
        made.fault = fault;
        made.text.append(phase).append(": ").append(cause);
        return made;
    }

private:
    receiptd::fuzz::Pieces pieces_;
    std::uint64_t received_ = 0;
};

Result read(std::string_view bytes, std::size_t largest_piece, bool to_head) {
    static boost::asio::io_context io;
    Bytes source(bytes, largest_piece);
    return net::testing::run_on(io, net::read_answer(source, kLimit, to_head));
}

// Whether this is found out depends on what was read at once.
bool is_head_too_large(const Result& result) {
    return !result && result.error().text.find("header limit exceeded") != std::string::npos;
}

void require_same(const Result& one, const Result& other) {
    if (is_head_too_large(one) || is_head_too_large(other)) return;
    require(one.has_value() == other.has_value(), "pieces change nothing",
            one ? other.error().text : "one of them failed");
    if (!one) return;  // what is broken off may be malformed as well
    const auto& a = one->response;
    const auto& b = other->response;
    require(a.status == b.status && a.body == b.body, "status and body do not depend on pieces");
    require(a.headers.size() == b.headers.size(), "headers do not depend on pieces");
    require(a.body.size() <= kLimit && a.body.capacity() >= a.body.size() + 64, "limit and spare bytes");
}

// The daemon reads two fields of a head: where a redirect leads, and how long to wait.
void read_fields(const net::HttpResponse& response) {
    if (const auto url = net::parse_url(response.header("Location")))
        require(!url->host.empty() && url->target.starts_with('/'), "a host and a path", url->target);
    const auto wait = net::parse_retry_after(response.header("Retry-After"), {}, std::chrono::hours(1));
    if (wait) require(*wait >= wait->zero() && *wait <= std::chrono::hours(1), "a wait that is bounded");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto whole = read(bytes, size + 1, false);
    if (whole) read_fields(whole->response);
    require_same(whole, read(bytes, 5, false));
    require_same(read(bytes, size + 1, true), read(bytes, 1, true));
    return 0;
}
