#include "net/server_session.hpp"

#include "base/log.hpp"
#include "net/fields.hpp"
#include "net/reply_text.hpp"
#include "net/request_reader.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <optional>
#include <utility>

namespace receiptd::net {

namespace asio = boost::asio;

namespace {

using Error = ServerConnection::Error;
using Clock = std::chrono::steady_clock;

// A connection that waits keeps room for a read, and there may be a thousand of them.
constexpr std::size_t kHeadRead = 4 * 1024;
constexpr std::size_t kBodyRead = 16 * 1024;
constexpr std::chrono::seconds kProbeTime{5};  // for the request of a connection in the reserve

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
    Session(ServerConnection::Socket socket, std::shared_ptr<ServerState> state, std::string client,
            bool in_reserve)
        : ServerSession(std::move(client)),
          connection_(std::make_shared<ServerConnection>(std::move(socket))),
          state_(std::move(state)),
          reader_(state_->options.max_request_bytes) {
        standing_.in_reserve = in_reserve;
        state_->enter(*this);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() override {
        state_->hold(*this, standing_, 0);
        state_->leave(*this);
    }

    static base::Task<void> run(std::shared_ptr<Session> self) { co_await self->serve(); }
    asio::cancellation_slot slot() { return signal_.slot(); }

    void finish() override {
        finishing_ = true;
        if (idle_ || lingering_) connection_->close();
        if (streaming_) cancel();
    }
    void abort() override {
        aborted_ = true;
        waits(Waits::not_for_client);
        state_->hold(*this, standing_, 0);
        connection_->close();
        cancel();
    }

private:
    // Asio 1.81 passes a cancellation on by a raw pointer if it is given from outside the loop, so it
    // is given from inside, and only while there is something to cancel.
    void cancel() {
        asio::post(connection_->executor(), [weak = weak_from_this()] {
            const auto self = weak.lock();
            if (self && (self->aborted_ || self->streaming_))
                self->signal_.emit(asio::cancellation_type::terminal);
        });
    }

    void waits(Waits what) {
        standing_.waits = aborted_ ? Waits::not_for_client : what;
        standing_.since = Clock::now();
    }

    base::Task<void> serve() {
        for (bool keep_alive = true; keep_alive && !aborted_;) {
            reader_.begin();
            waits(Waits::for_request);
            const Received received = co_await receive();
            waits(Waits::not_for_client);
            if (received == Received::nothing) co_return;
            if (received == Received::refused) {
                reader_.drop();
                ServerReply reply = std::move(*refused_);
                co_await answer(std::move(reply), false, false);
                break;
            }
            ServerRequest request = reader_.take();
            request.client = client();
            const bool to_head = request.method == "HEAD";
            std::optional<ServerReply> reply = co_await handle(std::move(request));
            if (!reply) connection_->reset();
            if (!reply || aborted_) co_return;
            keep_alive = reader_.keep_alive() && !finishing_ && !standing_.in_reserve &&
                         !lists_word(find_header(reply->headers, "Connection"), "close");
            if (reply->next_piece && has_body(reply->status))
                keep_alive = co_await stream(std::move(*reply), to_head, reader_.knows_chunks(), keep_alive);
            else
                keep_alive = co_await answer(std::move(*reply), to_head, keep_alive);
        }
        lingering_ = true;
        reader_.drop();
        waits(Waits::for_request);
        standing_.since = {};  // the first that gives way
        if (!finishing_) co_await connection_->linger();
    }

    // The limit is for the silence between requests and for the whole of a request. With Received::refused,
    // refused_ says how.
    base::Task<Received> receive() {
        connection_->set_limit(standing_.in_reserve ? kProbeTime : state_->options.idle_timeout);
        bool head_seen = false;
        idle_ = !reader_.has_bytes();
        for (;;) {
            if (reader_.has_bytes()) {
                const auto received = parse();
                if (received) co_return *received;
                if (!has_room()) co_return Received::refused;
            }
            if (reader_.is_head_done() && !std::exchange(head_seen, true)) {
                if (is_refused()) co_return Received::refused;
                const bool goes_on = co_await tell_to_continue();
                if (!goes_on) co_return Received::nothing;
            }
            if (finishing_ && idle_) co_return Received::nothing;
            Error error;
            const std::size_t size = head_seen ? kBodyRead : kHeadRead;
            char* room = reader_.room(size);
            reader_.took(co_await connection_->read_some(room, size, error));
            if (error) co_return connection_->timed_out() && !idle_ ? too_slow() : Received::nothing;
            idle_ = false;
        }
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
            connection_->clear_limit();
            return is_crowded_out() || !has_room() ? Received::refused : Received::whole;
        }
        refused_ = refusal(*state_, state);
        return Received::refused;
    }

    // For the body, until the request has its answer.
    bool has_room() {
        if (state_->hold(*this, standing_, reader_.body_bytes())) return true;
        refused_ = state_->refuse(503, "too many large requests are under way");
        return false;
    }

    bool is_refused() {
        if (is_crowded_out()) return true;
        if (state_->options.refuse_head) refused_ = state_->options.refuse_head(reader_.head());
        return refused_.has_value();
    }

    // The reserve is for probes.
    bool is_crowded_out() {
        const auto& options = state_->options;
        if (!standing_.in_reserve || (options.is_probe && options.is_probe(reader_.head()))) return false;
        refused_ = state_->refuse(503, "too many connections");
        return true;
    }

    // Sends "100 Continue" to a client that waits for it. False: the client is gone.
    base::Task<bool> tell_to_continue() {
        if (!reader_.expects_continue()) co_return true;
        const auto limit = state_->options.idle_timeout;
        const bool sent = co_await connection_->write(asio::buffer(kContinue), asio::const_buffer(), limit);
        if (sent) connection_->set_limit(limit);
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
        connection_->unwatch();
        if (hung_up) co_return std::nullopt;
        if (failed || !is_sound(reply)) reply = state_->refuse(500, "internal error");
        co_return reply;
    }

    // A client that goes away while its request is handled cancels the handler.
    void watch_client() {
        connection_->watch([weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->abort();
        });
    }

    base::Task<bool> send(asio::const_buffer head, asio::const_buffer body, Clock::duration limit) {
        waits(Waits::for_reader);
        const bool sent = co_await connection_->write(head, body, limit);
        waits(Waits::not_for_client);
        co_return sent;
    }

    // A slow reader of a large answer may take its time, but not all the time there is.
    Clock::duration time_for(std::size_t bytes) const {
        return state_->options.idle_timeout +
               std::chrono::seconds(bytes / state_->options.least_bytes_per_second);
    }

    // Says whether the connection can be used further.
    base::Task<bool> answer(ServerReply reply, bool to_head, bool keep_alive) {
        std::string_view body = reply.shared_body ? *reply.shared_body : reply.body;
        const std::string head = write_reply_head(reply, Framing::length, body.size(), keep_alive);
        if (to_head || !has_body(reply.status)) body = {};
        state_->hold(*this, standing_, reply.body.size());  // a shared body is somebody else's
        const bool sent =
            co_await send(asio::buffer(head), asio::buffer(body.data(), body.size()), time_for(body.size()));
        state_->hold(*this, standing_, 0);
        co_return (sent && keep_alive);
    }

    base::Task<bool> stream(ServerReply reply, bool to_head, bool chunked, bool keep_alive) {
        keep_alive = keep_alive && chunked;
        const std::string head =
            write_reply_head(reply, chunked ? Framing::chunked : Framing::close, 0, keep_alive);
        const bool begun = co_await send(asio::buffer(head), asio::const_buffer(), time_for(0));
        if (!begun || to_head) co_return (begun && keep_alive);
        streaming_ = true;
        watch_client();
        const bool ended = co_await send_pieces(reply.next_piece, chunked);
        streaming_ = false;
        connection_->unwatch();
        // The cancellation that ends a stream is not meant for what follows.
        co_await asio::this_coro::reset_cancellation_state();
        if (!ended || aborted_) {
            connection_->close();
            co_return false;
        }
        const auto last = asio::buffer(chunked ? kLastChunk : "");
        const bool sent = co_await send(last, asio::const_buffer(), time_for(0));
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
            state_->hold(*this, standing_, piece.size());
            const bool taken =
                co_await send(asio::buffer(size), asio::buffer(piece), state_->options.piece_timeout);
            state_->hold(*this, standing_, 0);
            if (!taken) co_return false;
        }
        co_return !aborted_;
    }

    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

    std::shared_ptr<ServerConnection> connection_;
    std::shared_ptr<ServerState> state_;
    asio::cancellation_signal signal_;
    RequestReader reader_;
    std::optional<ServerReply> refused_;
    bool idle_ = false;       // between requests
    bool finishing_ = false;  // no further request
    bool aborted_ = false;
    bool streaming_ = false;
    bool lingering_ = false;
};

}  // namespace

void start_session(ServerConnection::Socket socket, std::shared_ptr<ServerState> state, std::string client,
                   bool in_reserve) {
    const auto executor = socket.get_executor();
    const auto session =
        std::make_shared<Session>(std::move(socket), std::move(state), std::move(client), in_reserve);
    const auto slot = session->slot();
    // The signal must outlive the coroutine's last step, so the session goes one step later.
    auto forget = [executor, session](const std::exception_ptr&) { asio::post(executor, [session] {}); };
    asio::co_spawn(executor, Session::run(session), asio::bind_cancellation_slot(slot, std::move(forget)));
}

}  // namespace receiptd::net
