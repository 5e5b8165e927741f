#include "net/request_reader.hpp"

#include "base/ascii.hpp"
#include "net/fields.hpp"
#include "net/server_request.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <iterator>

namespace receiptd::net {

namespace http = boost::beast::http;

namespace {

constexpr std::uint32_t kRequestHeadLimit = 16 * 1024;
constexpr std::ptrdiff_t kMostFields = 100;
// The line of a chunk's size, with the end of the chunk before. Beast keeps what it has of a line, or of a
// trailer, until it is whole.
constexpr std::size_t kLongestChunkLine = 32;
constexpr std::uint64_t kFramingLimit = 16 * 1024;  // bytes beside those of the body, in sum

// The length of the line that the parser took, refused as too large, or has not seen the end of.
std::size_t line_length(std::string_view bytes, std::size_t used, const boost::system::error_code& error) {
    if (error != http::error::body_limit) return used > 0 ? used : bytes.size();
    const std::size_t end = bytes.find("\r\n", bytes.starts_with("\r\n") ? 2 : 0);
    return end == std::string_view::npos ? bytes.size() : end + 2;
}

}  // namespace

struct RequestReader::Parser {
    http::request_parser<http::string_body> http;
};

RequestReader::RequestReader(std::uint64_t max_body_bytes) : max_body_bytes_(max_body_bytes) {}
RequestReader::~RequestReader() = default;

void RequestReader::begin() {
    if (buffer_.empty()) buffer_ = {};  // which had room for a body
    parser_ = std::make_unique<Parser>();
    parser_->http.header_limit(kRequestHeadLimit);
    parser_->http.body_limit(max_body_bytes_);
    head_.reset();
    body_wire_bytes_ = 0;
}

void RequestReader::drop() {
    parser_.reset();
    head_.reset();
    buffer_ = {};
}

RequestReader::State RequestReader::parse() {
    State state = State::more;
    // One part at a time (the head, the line of a chunk, a chunk), so that each is judged by itself.
    for (bool goes_on = true; goes_on && state == State::more;) {
        const std::size_t before = buffer_.data().size();
        state = parse_once();
        goes_on = !buffer_.empty() && buffer_.data().size() < before;
    }
    return state;
}

RequestReader::State RequestReader::parse_once() {
    boost::system::error_code error;
    auto& http_parser = parser_->http;
    const std::string_view bytes = buffer_.data();
    const bool in_chunks = head_ && http_parser.chunked();
    const std::size_t body_before = http_parser.get().body().size();
    const std::size_t used = http_parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    const bool is_line = in_chunks && http_parser.get().body().size() == body_before;
    if (is_line && line_length(bytes, used, error) > kLongestChunkLine) return State::malformed;
    buffer_.consume(used);
    if (head_) body_wire_bytes_ += used;
    if (error == http::error::body_limit || body_wire_bytes_ > max_body_bytes_ + kFramingLimit)
        return State::body_too_large;
    if (error == http::error::header_limit) return State::head_too_large;
    if (error && error != http::error::need_more) return State::malformed;
    if (http_parser.is_header_done() && !head_)
        if (const State state = take_head(); state != State::more) return state;
    if (!http_parser.is_done()) return State::more;
    const auto& fields = http_parser.get();
    const bool has_trailer = std::distance(fields.begin(), fields.end()) != std::ssize(head_->headers);
    return has_trailer ? State::malformed : State::whole;
}

RequestReader::State RequestReader::take_head() {
    const auto& message = parser_->http.get();
    if (std::distance(message.begin(), message.end()) > kMostFields) return State::head_too_large;
    const auto hosts = message.count(http::field::host);
    if (hosts > 1 || (hosts == 0 && message.version() == 11)) return State::malformed;
    ServerRequest request;
    request.method = message.method_string();
    for (const auto& field : message)
        request.headers.push_back({std::string(field.name_string()), std::string(field.value())});
    if (!read_target(message.target(), request)) return State::malformed;
    head_ = std::move(request);
    return State::more;
}

bool RequestReader::expects_continue() const {
    return base::equals_ignoring_case(parser_->http.get()[http::field::expect], "100-continue");
}

ServerRequest RequestReader::take() {
    head_->body = std::move(parser_->http.get().body());
    return std::move(*head_);
}

std::size_t RequestReader::body_bytes() const { return parser_->http.get().body().size(); }
bool RequestReader::keep_alive() const { return parser_->http.keep_alive(); }
bool RequestReader::knows_chunks() const { return parser_->http.get().version() >= 11; }

}  // namespace receiptd::net
