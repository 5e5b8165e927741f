#include "net/request_reader.hpp"

#include "base/ascii.hpp"
#include "net/fields.hpp"
#include "net/server_request.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace receiptd::net {

namespace http = boost::beast::http;

namespace {

constexpr std::uint32_t kRequestHeadLimit = 64 * 1024;

}  // namespace

struct RequestReader::Parser {
    http::request_parser<http::string_body> http;
};

RequestReader::RequestReader(std::uint64_t max_body_bytes) : max_body_bytes_(max_body_bytes) {}
RequestReader::~RequestReader() = default;

void RequestReader::begin() {
    parser_ = std::make_unique<Parser>();
    parser_->http.header_limit(kRequestHeadLimit);
    parser_->http.body_limit(max_body_bytes_);
    parser_->http.eager(true);
}

RequestReader::State RequestReader::parse() {
    boost::system::error_code error;
    const std::string_view bytes = buffer_.data();
    buffer_.consume(parser_->http.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error));
    if (error == http::error::body_limit) return State::body_too_large;
    if (error == http::error::header_limit) return State::head_too_large;
    if (error && error != http::error::need_more) return State::malformed;
    return parser_->http.is_done() ? State::whole : State::more;
}

bool RequestReader::is_head_done() const { return parser_->http.is_header_done(); }

bool RequestReader::expects_continue() const {
    return base::equals_ignoring_case(parser_->http.get()[http::field::expect], "100-continue");
}

std::optional<ServerRequest> RequestReader::head() const {
    const auto& message = parser_->http.get();
    if (message.version() == 11 && message.find(http::field::host) == message.end()) return std::nullopt;
    ServerRequest request;
    request.method = message.method_string();
    for (const auto& field : message)
        request.headers.push_back({std::string(field.name_string()), std::string(field.value())});
    if (!read_target(message.target(), request)) return std::nullopt;
    return request;
}

std::optional<ServerRequest> RequestReader::take() {
    auto request = head();
    if (request) request->body = std::move(parser_->http.get().body());
    return request;
}

bool RequestReader::keep_alive() const { return parser_->http.keep_alive(); }
bool RequestReader::knows_chunks() const { return parser_->http.get().version() >= 11; }

}  // namespace receiptd::net
