#include "net/response_reader.hpp"

#include "base/ascii.hpp"
#include "base/coroutine.hpp"
#include "net/fields.hpp"
#include "net/in_buffer.hpp"

#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>

#include <algorithm>
#include <utility>

namespace receiptd::net {

namespace http = boost::beast::http;
namespace asio = boost::asio;

namespace {

using Error = boost::system::error_code;

constexpr std::size_t kSpare = 64;             // for simdjson (chain/document.hpp)
constexpr std::size_t kFirstRead = 16 * 1024;  // head and, mostly, a small body
constexpr std::size_t kLargeRead = 256 * 1024;
constexpr std::uint32_t kHeadLimit = 64 * 1024;
constexpr int kInterimLimit = 16;  // 1xx answers before the real one
// A chunk's line or a trailer is at most this long: Beast takes nothing of it until it is whole.
constexpr std::size_t kLongestLine = 64 * 1024;
// Bytes beside those of the body: heads, the lines of chunks, trailers. Tiny chunks may cost as much as the
// body.
constexpr std::uint64_t kMostFraming = 256 * 1024;

// Makes room for `bytes` more and the spare ones without growing in small steps.
void grow_for(std::string& text, std::size_t bytes) {
    const std::size_t needed = text.size() + bytes + kSpare;
    if (text.capacity() < needed) text.reserve(std::max(needed, text.capacity() * 2));
}

// Beast's parser puts the pieces of a chunked body into this type.
struct CappedBody {
    struct value_type {
        std::string text;
        std::uint64_t limit = 0;
    };
    class reader {
    public:
        template <bool is_request, class Fields>
        reader(http::header<is_request, Fields>&, value_type& body) : body_(body) {}
        void init(const boost::optional<std::uint64_t>&, Error& error) { error = {}; }
        template <class Buffers>
        std::size_t put(const Buffers& buffers, Error& error) {
            const std::size_t size = asio::buffer_size(buffers);
            if (size > body_.limit - body_.text.size()) {
                error = http::error::body_limit;
                return 0;
            }
            grow_for(body_.text, size);
            for (auto piece = asio::buffer_sequence_begin(buffers);
                 piece != asio::buffer_sequence_end(buffers); ++piece) {
                const asio::const_buffer bytes = *piece;
                body_.text.append(static_cast<const char*>(bytes.data()), bytes.size());
            }
            error = {};
            return size;
        }
        void finish(Error& error) { error = {}; }

    private:
        value_type& body_;
    };
};

using ResponseParser = http::response_parser<CappedBody>;
using Problem = std::optional<TransportError>;

class Reader {
public:
    Reader(AnswerSource& source, std::uint64_t limit, bool to_head, BodyDoor* door)
        : source_(source), limit_(limit), to_head_(to_head), door_(door) {}

    base::Task<base::Result<Answer, TransportError>> read() {
        Problem problem = co_await read_head();
        if (!problem) problem = co_await read_body();
        if (problem) co_return std::move(*problem);
        grow_for(response_.body, 0);
        response_.wire_bytes = response_.body.size();
        Answer answer;
        answer.reusable = parser_->keep_alive() && !until_close_ && buffer_.empty();
        answer.response = std::move(response_);
        co_return answer;
    }

private:
    // The head of the first answer that is not an interim one.
    base::Task<Problem> read_head() {
        for (int interim = 0; interim <= kInterimLimit; ++interim) {
            parser_.emplace();
            parser_->header_limit(kHeadLimit);
            parser_->body_limit(boost::none);  // ours is checked where the body is read
            parser_->skip(to_head_);
            while (!parser_->is_header_done()) {
                Problem problem = co_await parse_more(kFirstRead);
                if (problem) co_return problem;
            }
            const unsigned status = parser_->get().result_int();
            if (status == 101) break;
            if (status >= 200) co_return take_head();
        }
        co_return malformed("interim answers without end");
    }

    Problem take_head() {
        const auto& head = parser_->get();
        response_.status = static_cast<int>(head.result_int());
        for (const auto& field : head)
            response_.headers.push_back({std::string(field.name_string()), std::string(field.value())});
        const std::string_view coding = response_.header("Transfer-Encoding");
        if (!coding.empty() && !base::equals_ignoring_case(coding, "chunked"))
            return malformed("unknown transfer coding");
        return std::nullopt;
    }

    base::Task<Problem> read_body() {
        if (parser_->is_done()) co_return std::nullopt;
        const auto length = parser_->content_length();
        if (length && *length > limit_) co_return too_large();
        Problem problem;
        if (parser_->chunked())
            problem = co_await read_chunks();
        else if (length)
            problem = co_await read_exactly(*length);
        else
            problem = co_await read_until_close();
        co_return problem;
    }

    base::Task<Problem> read_chunks() {
        parser_->eager(true);
        parser_->get().body().limit = limit_;
        std::string& body = parser_->get().body().text;
        while (!parser_->is_done()) {
            if (is_large(body.size())) co_await pass_door(body, limit_);
            Problem problem = co_await parse_more(kLargeRead);
            if (problem) co_return problem;
        }
        response_.body = std::move(body);
        co_return std::nullopt;
    }

    // Straight into the body, which grows with what came: a promised length costs no memory.
    base::Task<Problem> read_exactly(std::uint64_t length) {
        std::string& body = response_.body;
        if (is_large(length))
            co_await pass_door(body, length);
        else
            body.reserve(length + kSpare);
        std::size_t filled = take_buffered(length);
        while (filled < length) {
            if (body.size() - filled < kLargeRead / 2)
                body.resize(std::min<std::size_t>(length, filled + kLargeRead));
            Error error;
            filled += co_await source_.read_some(body.data() + filled, body.size() - filled, error);
            if (error && filled < length) co_return broken(error);
        }
        co_return std::nullopt;
    }

    base::Task<Problem> read_until_close() {
        until_close_ = true;
        std::string& body = response_.body;
        std::size_t filled = take_buffered(limit_);
        if (!buffer_.empty()) co_return too_large();
        for (;;) {
            if (is_large(filled)) co_await pass_door(body, limit_);
            if (body.size() - filled < kFirstRead) {
                grow_for(body, kLargeRead);
                body.resize(body.size() + kLargeRead);
            }
            Error error;
            filled += co_await source_.read_some(body.data() + filled, body.size() - filled, error);
            if (filled > limit_) co_return too_large();
            if (error == asio::error::eof) break;
            if (error) co_return broken(error);
        }
        body.resize(filled);
        co_return std::nullopt;
    }

    bool is_large(std::uint64_t size) const { return door_ != nullptr && size > door_->small(); }

    // Then the body has all its room: it is not copied again and again as it grows.
    base::Task<void> pass_door(std::string& body, std::uint64_t size) {
        co_await std::exchange(door_, nullptr)->pass(response_.status, size);
        body.reserve(size + kSpare);
    }

    std::size_t take_buffered(std::uint64_t at_most) {
        const std::string_view bytes = buffer_.data().substr(0, at_most);
        response_.body.append(bytes);
        buffer_.consume(bytes.size());
        return bytes.size();
    }

    // Parses the bytes in the buffer, or reads first if they are not enough.
    base::Task<Problem> parse_more(std::size_t read_size) {
        Error error;
        if (!buffer_.empty()) {
            const std::string_view bytes = buffer_.data();
            buffer_.consume(parser_->put(asio::const_buffer(bytes.data(), bytes.size()), error));
            if (error == http::error::body_limit) co_return too_large();
            if (error && error != http::error::need_more) co_return malformed(error.message());
            if (!error) co_return std::nullopt;
            if (buffer_.data().size() > kLongestLine) co_return malformed("a line without end");
            error = {};
        }
        const std::uint64_t of_body = parser_->get().body().text.size();
        if (source_.received() > 2 * of_body + kMostFraming) co_return malformed("more framing than body");
        char* room = buffer_.prepare(read_size);
        buffer_.commit(co_await source_.read_some(room, read_size, error));
        if (error) co_return broken(error);
        co_return std::nullopt;
    }

    TransportError broken(const Error& error) const {
        const bool begun = source_.received() > 0;
        return source_.failure(TransportFault::reset, begun ? "reading the answer" : "waiting for the answer",
                               error);
    }
    TransportError malformed(std::string_view cause) const {
        return source_.failure(TransportFault::malformed, "reading the answer", cause);
    }
    TransportError too_large() const {
        auto error = source_.failure(TransportFault::too_large, "reading the answer",
                                     "more than " + std::to_string(limit_) + " bytes");
        error.status = response_.status;
        error.headers = response_.headers;
        return error;
    }

    AnswerSource& source_;
    const std::uint64_t limit_;
    const bool to_head_;
    BodyDoor* door_;  // null: none, or the body has passed it
    InBuffer buffer_;
    std::optional<ResponseParser> parser_;
    HttpResponse response_;
    bool until_close_ = false;
};

}  // namespace

base::Task<base::Result<Answer, TransportError>> read_answer(AnswerSource& source, std::uint64_t limit,
                                                             bool to_head, BodyDoor* door) {
    Reader reader(source, limit, to_head, door);
    co_return co_await reader.read();
}

}  // namespace receiptd::net
