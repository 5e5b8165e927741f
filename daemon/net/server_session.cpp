#include "net/server_session.hpp"

#include "base/log.hpp"
#include "base/sleep.hpp"
#include "net/fields.hpp"
#include "net/reply_text.hpp"
#include "net/request_reader.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace receiptd::net {

namespace asio = boost::asio;

namespace {

using tcp = asio::ip::tcp;
using Error = boost::system::error_code;

constexpr std::size_t kReadSize = 16 * 1024;
constexpr std::chrono::seconds kLingerTime{2};  // for a refused client that is still sending
constexpr std::uint64_t kLingerBytes = 64ull << 20;

auto redirect(Error& error) { return asio::redirect_error(asio::use_awaitable, error); }

enum class Received { whole, nothing, refused };

ServerReply refusal(const ServerState& state, RequestReader::State fault) {
    switch (fault) {
        case RequestReader::State::body_too_large: return state.refuse(413, "the request is too large");
        case RequestReader::State::head_too_large:
            return state.refuse(431, "the request's head is too large");
        default: return state.refuse(400, "the request is malformed");
    }
}

void report_failure(const std::string& path, std::string_view cause) {
    log::error("request handler failed", {{"path", path}, {"error", cause}});
}

class Session final : public ServerSession, public std::enable_shared_from_this<Session> {
public:
    Session(tcp::socket socket, std::shared_ptr<ServerState> state)
        : socket_(std::move(socket)),
          timer_(socket_.get_executor()),
          state_(std::move(state)),
          reader_(state_->options.max_request_bytes) {
        state_->sessions.insert(this);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() override {
        state_->sessions.erase(this);
        if (state_->sessions.empty()) state_->drained.cancel();
    }

    static base::Task<void> run(std::shared_ptr<Session> self) { co_await self->serve(); }
    asio::cancellation_slot slot() { return signal_.slot(); }

    void finish() override {
        finishing_ = true;
        if (idle_) close();
        if (streaming_) cancel();
    }
    std::optional<std::chrono::steady_clock::time_point> waiting_since() const override {
        return aborted_ ? std::nullopt : waiting_since_;
    }
    void abort() override {
        aborted_ = true;
        close();
        cancel();
    }

private:
    // Asio 1.81 passes a cancellation on by a raw pointer if it is given from outside the loop, so it
    // is given from inside, and only while there is something to cancel.
    void cancel() {
        asio::post(timer_.get_executor(), [weak = weak_from_this()] {
            const auto self = weak.lock();
            if (self && (self->aborted_ || self->streaming_))
                self->signal_.emit(asio::cancellation_type::terminal);
        });
    }

    base::Task<void> serve() {
        for (bool keep_alive = true; keep_alive && !aborted_;) {
            reader_.begin();
            waiting_since_ = std::chrono::steady_clock::now();
            const Received received = co_await receive();
            waiting_since_.reset();
            if (received == Received::nothing) co_return;
            auto request = received == Received::whole ? reader_.take() : std::nullopt;
            if (!request) {
                ServerReply reply = refusal_now();
                co_await refuse(std::move(reply));
                co_return;
            }
            const bool to_head = request->method == "HEAD";
            std::optional<ServerReply> reply = co_await handle(std::move(*request));
            if (!reply) reset();
            if (!reply || aborted_) co_return;
            keep_alive = reader_.keep_alive() && !finishing_ &&
                         !lists_word(find_header(reply->headers, "Connection"), "close");
            if (reply->next_piece && has_body(reply->status))
                keep_alive = co_await stream(std::move(*reply), to_head, reader_.knows_chunks(), keep_alive);
            else
                keep_alive = co_await answer(std::move(*reply), to_head, keep_alive);
        }
        co_await linger();
    }

    // `idle_timeout` is for the silence between requests and for the whole of a request. With
    // Received::refused, refused_ says how.
    base::Task<Received> receive() {
        set_limit(state_->options.idle_timeout);
        bool head_seen = false;
        idle_ = !reader_.has_bytes();
        for (;;) {
            if (reader_.has_bytes()) {
                const auto received = parse();
                if (received) co_return *received;
            }
            if (reader_.is_head_done() && !std::exchange(head_seen, true)) {
                if (is_refused()) co_return Received::refused;
                const bool goes_on = co_await tell_to_continue();
                if (!goes_on) co_return Received::nothing;
            }
            if (finishing_ && idle_) co_return Received::nothing;
            Error error;
            const asio::mutable_buffer room(reader_.room(kReadSize), kReadSize);
            reader_.took(co_await socket_.async_read_some(room, redirect(error)));
            if (error) co_return timed_out_ && !idle_ ? too_slow() : Received::nothing;
            idle_ = false;
        }
    }

    // Returns the refusal in refused_; if there is none, the request came whole and is malformed.
    ServerReply refusal_now() {
        if (refused_) return std::move(*refused_);
        return refusal(*state_, RequestReader::State::malformed);
    }

    Received too_slow() {
        refused_ = state_->refuse(408, "the request took too long");
        return Received::refused;
    }

    // nullopt: more is needed.
    std::optional<Received> parse() {
        const auto state = reader_.parse();
        if (state == RequestReader::State::more) return std::nullopt;
        if (state == RequestReader::State::whole) {
            clear_limit();
            return Received::whole;
        }
        refused_ = refusal(*state_, state);
        return Received::refused;
    }

    // Whether the head is refused. A malformed head is refused later, when it is whole.
    bool is_refused() {
        if (!state_->options.refuse_head) return false;
        const auto head = reader_.head();
        if (head) refused_ = state_->options.refuse_head(*head);
        return refused_.has_value();
    }

    // Sends "100 Continue" to a client that waits for it. False: the client is gone.
    base::Task<bool> tell_to_continue() {
        if (!reader_.expects_continue()) co_return true;
        const bool sent = co_await write(asio::buffer(kContinue), asio::const_buffer());
        if (sent) set_limit(state_->options.idle_timeout);
        co_return sent;
    }

    // nullopt: the handler hangs up.
    base::Task<std::optional<ServerReply>> handle(ServerRequest request) {
        ServerReply reply;
        bool failed = true;
        bool hung_up = false;
        const std::string path = request.path;
        watch_client();
        try {
            auto task = state_->handler(std::move(request));
            reply = co_await std::move(task);
            failed = false;
        } catch (const HangUp&) {
            hung_up = true;
        } catch (const std::exception& error) {
            if (!aborted_) report_failure(path, error.what());
        } catch (...) {
            report_failure(path, "not a std::exception");
        }
        unwatch_client();
        if (hung_up) co_return std::nullopt;
        if (failed || !is_sound(reply)) reply = state_->refuse(500, "internal error");
        co_return reply;
    }

    // A client that goes away while its request is handled cancels the handler.
    void watch_client() {
        watching_ = true;
        socket_.async_wait(tcp::socket::wait_read, [weak = weak_from_this()](const Error& error) {
            const auto self = weak.lock();
            if (!error && self && self->watching_ && self->client_is_gone()) self->abort();
        });
    }
    void unwatch_client() {
        watching_ = false;
        Error ignored;
        socket_.cancel(ignored);
    }
    bool client_is_gone() {
        char byte = 0;  // a byte that is there is the next request's, and is left alone
        const auto count = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        return count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
    }

    // Says whether the connection can be used further.
    base::Task<bool> answer(ServerReply reply, bool to_head, bool keep_alive) {
        std::string_view body = reply.shared_body ? *reply.shared_body : reply.body;
        const std::string head = write_reply_head(reply, Framing::length, body.size(), keep_alive);
        if (to_head || !has_body(reply.status)) body = {};
        const bool sent = co_await write(asio::buffer(head), asio::buffer(body.data(), body.size()));
        co_return (sent && keep_alive);
    }

    base::Task<void> refuse(ServerReply reply) {
        timed_out_ = false;
        co_await answer(std::move(reply), false, false);
        co_await linger();
    }

    base::Task<bool> stream(ServerReply reply, bool to_head, bool chunked, bool keep_alive) {
        keep_alive = keep_alive && chunked;
        const std::string head =
            write_reply_head(reply, chunked ? Framing::chunked : Framing::close, 0, keep_alive);
        const bool begun = co_await write(asio::buffer(head), asio::const_buffer());
        if (!begun || to_head) co_return (begun && keep_alive);
        streaming_ = true;
        watch_client();
        const bool ended = co_await send_pieces(reply.next_piece, chunked);
        streaming_ = false;
        unwatch_client();
        // The cancellation that ends a stream is not meant for what follows.
        co_await asio::this_coro::reset_cancellation_state();
        if (!ended || aborted_) {
            close();
            co_return false;
        }
        const bool sent = co_await write(asio::buffer(chunked ? kLastChunk : ""), asio::const_buffer());
        co_return (sent && keep_alive && !finishing_);
    }

    // True: the body is at its end, or at an end because the server stops.
    base::Task<bool> send_pieces(const NextPiece& next_piece, bool chunked) {
        while (!finishing_ && !aborted_) {
            std::string piece;
            bool failed = true;
            try {
                auto task = next_piece();
                piece = co_await std::move(task);
                failed = false;
            } catch (const HangUp&) {
                co_return false;
            } catch (const std::exception& error) {
                if (!aborted_ && !finishing_) report_failure("a streamed answer", error.what());
            }
            if (failed || aborted_) co_return finishing_ && !aborted_;
            if (piece.empty()) co_return true;
            co_await asio::this_coro::reset_cancellation_state();
            const std::string size = chunked ? chunk_head(piece.size()) : std::string();
            if (chunked) piece += "\r\n";
            const bool taken = co_await write(asio::buffer(size), asio::buffer(piece), Limit::whole);
            if (!taken) co_return false;
        }
        co_return !aborted_;
    }

    // Limit::silence: a slow reader of a large answer may take its time.
    enum class Limit { silence, whole };
    base::Task<bool> write(asio::const_buffer head, asio::const_buffer body, Limit limit = Limit::silence) {
        std::array<asio::const_buffer, 2> rest = {head, body};
        if (limit == Limit::whole) set_limit(state_->options.piece_timeout);
        while (rest[0].size() + rest[1].size() > 0) {
            if (limit == Limit::silence) set_limit(state_->options.idle_timeout);
            Error error;
            const std::size_t count = co_await socket_.async_write_some(rest, redirect(error));
            if (error) {
                close();
                co_return false;
            }
            const std::size_t of_head = std::min(count, rest[0].size());
            rest[0] += of_head;
            rest[1] += count - of_head;
        }
        clear_limit();
        co_return true;
    }

    // A socket closed with unread bytes in it resets the connection, and the client may lose the
    // answer it has not read yet. So: say "done", then read what still comes, for a moment.
    base::Task<void> linger() {
        Error error;
        if (!socket_.is_open()) co_return;
        socket_.shutdown(tcp::socket::shutdown_send, error);
        set_limit(kLingerTime);
        for (std::uint64_t total = 0; !error && total < kLingerBytes && !finishing_;) {
            const asio::mutable_buffer room(reader_.room(kReadSize), kReadSize);
            total += co_await socket_.async_read_some(room, redirect(error));
        }
        clear_limit();
        close();
    }

    void set_limit(std::chrono::steady_clock::duration limit) {
        timed_out_ = false;
        timer_.expires_after(limit);
        timer_.async_wait([weak = weak_from_this(), number = ++limit_number_](const Error& error) {
            const auto self = weak.lock();
            if (error || !self || self->limit_number_ != number) return;
            self->timed_out_ = true;
            Error ignored;
            self->socket_.cancel(ignored);
        });
    }
    void clear_limit() {
        ++limit_number_;
        timer_.cancel();
    }

    void reset() {
        Error ignored;
        socket_.set_option(asio::socket_base::linger(true, 0), ignored);
        close();
    }
    void close() {
        Error ignored;
        socket_.close(ignored);
    }

    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

    tcp::socket socket_;
    asio::steady_timer timer_;
    std::shared_ptr<ServerState> state_;
    asio::cancellation_signal signal_;
    RequestReader reader_;
    std::optional<ServerReply> refused_;
    std::optional<std::chrono::steady_clock::time_point> waiting_since_;
    std::uint64_t limit_number_ = 0;
    bool idle_ = false;       // between requests
    bool finishing_ = false;  // no further request
    bool aborted_ = false;
    bool watching_ = false;
    bool streaming_ = false;
    bool timed_out_ = false;
};

}  // namespace

void start_session(tcp::socket socket, std::shared_ptr<ServerState> state) {
    Error ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    const auto executor = socket.get_executor();
    const auto session = std::make_shared<Session>(std::move(socket), std::move(state));
    const auto slot = session->slot();
    // The signal must outlive the coroutine's last step, so the session goes one step later.
    auto forget = [executor, session](const std::exception_ptr&) { asio::post(executor, [session] {}); };
    asio::co_spawn(executor, Session::run(session), asio::bind_cancellation_slot(slot, std::move(forget)));
}

}  // namespace receiptd::net
