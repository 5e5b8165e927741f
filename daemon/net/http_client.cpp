#include "net/http_client.hpp"

#include "base/ascii.hpp"
#include "base/coroutine.hpp"
#include "base/offload.hpp"
#include "net/connection_pool.hpp"
#include "net/fields.hpp"
#include "net/gzip.hpp"
#include "net/request_text.hpp"
#include "net/response_reader.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace receiptd::net {

namespace asio = boost::asio;

using Outcome = base::Result<HttpResponse, TransportError>;
using Exchange = base::Result<Answer, TransportError>;

namespace {

TransportError problem(const Url& origin, TransportFault fault, std::string_view cause) {
    TransportError result;
    result.fault = fault;
    result.text.append(origin.origin()).append(": ").append(cause);
    return result;
}

TransportError problem(const ConnectionPool& pool, TransportFault fault, std::string_view cause) {
    return problem(pool.options().origin, fault, cause);
}

// How an answer is taken in.
struct Intake {
    std::uint64_t max_bytes = 0;
    std::shared_ptr<AnswerRoom> room;
    std::function<void()> on_large;
    Stream::SteadyTime until{};  // it stands still while the answer waits for its turn
    AnswerRoom::Share passed{};  // the origin's door
    bool has_waited = false;     // there

    void tell_that_it_is_large(int status) {
        if (status == 200 && on_large) std::exchange(on_large, nullptr)();
    }
};

// A host has so much of its own large answers here as one of them may have, and no other host waits for that:
// the rest stays with it. It may take its time meanwhile, and its other connections are as many as ever.
class Door final : public BodyDoor {
public:
    Door(Intake& intake, ConnectionPool& pool, ConnectionPool::Lease& lease, Stream& stream)
        : intake_(intake), pool_(pool), lease_(lease), stream_(stream) {}

    std::uint64_t small() const override { return intake_.room->small(); }
    base::Task<void> pass(int status, std::uint64_t size) override {
        if (intake_.passed) co_return;  // before this connection
        const auto door = pool_.door_of(intake_.room);
        const auto began = std::chrono::steady_clock::now();
        intake_.has_waited = !door->has_room_for(size);
        if (intake_.has_waited) {
            intake_.tell_that_it_is_large(status);
            lease_.step_aside();
            stream_.clear_limit();
        }
        intake_.passed = co_await AnswerRoom::take(door, size);
        if (!intake_.has_waited) co_return;
        const auto now = std::chrono::steady_clock::now();
        intake_.until += now - began;
        stream_.set_limit(intake_.until - now);
    }

private:
    Intake& intake_;
    ConnectionPool& pool_;
    ConnectionPool::Lease& lease_;
    Stream& stream_;
};

BodyDoor* door_for(const Intake& intake, Door& door) { return intake.room ? &door : nullptr; }

base::Task<Exchange> exchange(Stream& stream, const RequestText& request, const Intake& intake,
                              BodyDoor* door) {
    const auto left = intake.until - std::chrono::steady_clock::now();
    stream.set_limit(std::max<Stream::SteadyTime::duration>(left, std::chrono::milliseconds(1)));
    stream.expect_answer();
    const std::array<asio::const_buffer, 2> buffers = {asio::buffer(request.head),
                                                       asio::buffer(request.body)};
    Stream::Error unsent;
    co_await stream.write(buffers, unsent);
    if (unsent == asio::error::operation_aborted)
        co_return stream.failure(TransportFault::reset, "sending the request", unsent);
    // A server may refuse a request before it has all of it: its answer says more than our broken write.
    Exchange answer = co_await read_answer(stream, intake.max_bytes, request.is_head, door);
    stream.clear_limit();
    if (unsent && answer.has_value()) answer->reusable = false;
    if (unsent && answer.has_error() && answer.error().fault == TransportFault::reset)
        co_return stream.failure(TransportFault::reset, "sending the request", unsent);
    co_return answer;
}

base::Task<Exchange> exchange_on(std::shared_ptr<Stream> stream, std::shared_ptr<ConnectionPool> pool,
                                 ConnectionPool::Lease& lease, const RequestText& request, Intake& intake) {
    Door door(intake, *pool, lease, *stream);
    Exchange answer = co_await exchange(*stream, request, intake, door_for(intake, door));
    if (answer.has_value() && answer->reusable) lease.keep();
    co_return answer;
}

bool is_reset(const Exchange& answer) {
    return answer.has_error() && answer.error().fault == TransportFault::reset;
}

// A server closes a connection that was not used for long, and may close one of which nobody reads, as the
// answer waits for its turn: neither says anything of the server. All tries together take no longer than one.
base::Task<Exchange> exchange_again_if_closed(std::shared_ptr<ConnectionPool> pool,
                                              const RequestText& request, std::chrono::milliseconds limit,
                                              Intake& intake) {
    auto lease = co_await ConnectionPool::acquire(pool);
    if (!lease) co_return problem(*pool, TransportFault::reset, "the client was closed");
    intake.until = std::chrono::steady_clock::now() + limit;
    if (const auto kept = lease.take_kept()) {
        Exchange answer = co_await exchange_on(kept, pool, lease, request, intake);
        const bool unused = kept->received() == 0 || std::exchange(intake.has_waited, false);
        if (!is_reset(answer) || !unused || pool->closed()) co_return answer;
    }
    for (;;) {
        const auto fresh = lease.create();
        auto unopened = co_await fresh->open(pool->tls(), pool->options().connect_timeout);
        if (unopened) co_return std::move(*unopened);
        Exchange answer = co_await exchange_on(fresh, pool, lease, request, intake);
        const bool unread = std::exchange(intake.has_waited, false);
        if (!is_reset(answer) || !unread || pool->closed()) co_return answer;
    }
}

using Plain = base::Result<std::string, GunzipFault>;

// A smaller body becomes half a megabyte at most: the way to another thread and back takes longer.
constexpr std::size_t kInflatedHere = 512;

base::Task<Plain> gunzip_on(asio::thread_pool* cpu, std::shared_ptr<const std::string> packed,
                            std::uint64_t limit) {
    if (cpu == nullptr || packed->size() < kInflatedHere) co_return gunzip(*packed, limit);
    auto work = base::offload(*cpu, [packed, limit] { return gunzip(*packed, limit); });
    co_return co_await std::move(work);
}

base::Task<AnswerRoom::Share> room_for(Intake& intake, int status, std::uint64_t size) {
    if (!intake.room || size <= intake.room->small()) co_return nullptr;
    intake.tell_that_it_is_large(status);
    auto room = co_await AnswerRoom::take(intake.room, size);
    room->keep(intake.passed);
    co_return room;
}

// Tries with room for as much as the body says that it becomes. If that is not true: for all that it may
// become.
base::Task<Outcome> unpack(std::shared_ptr<ConnectionPool> pool, Intake intake, HttpResponse response) {
    const auto packed = std::make_shared<const std::string>(std::move(response.body));
    const auto max_bytes = intake.max_bytes;
    const auto small = intake.room ? intake.room->small() : max_bytes;
    std::uint64_t limit = std::min(max_bytes, std::max(small, stated_size(*packed)));
    for (;; limit = max_bytes) {
        response.room = co_await room_for(intake, response.status, limit);
        auto* cpu = response.room ? response.room->cpu() : pool->options().cpu;
        Plain plain = co_await gunzip_on(cpu, packed, limit);
        if (plain.has_value()) {
            response.body = std::move(*plain);
            if (response.room) response.room->shrink(response.body.size());
            co_return std::move(response);
        }
        if (plain.error() == GunzipFault::malformed)
            co_return problem(*pool, TransportFault::malformed, "the answer does not decompress");
        response.room.reset();
        if (limit == max_bytes) break;
    }
    co_return problem(*pool, TransportFault::too_large,
                      "the answer decompresses to more than " + std::to_string(max_bytes) + " bytes");
}

base::Task<Outcome> run(std::shared_ptr<ConnectionPool> pool, HttpRequest request,
                        std::chrono::milliseconds limit) {
    const auto max_bytes = std::min(request.max_response_bytes, pool->options().max_response_bytes);
    Intake intake{max_bytes, request.room ? std::move(request.room) : pool->options().room,
                  std::move(request.on_large)};
    const auto text = write_request(std::move(request), pool->options());
    if (!text)
        co_return problem(*pool, TransportFault::malformed,
                          "the request has characters or headers not allowed");
    if (!pool->tls_problem().empty()) co_return problem(*pool, TransportFault::tls, pool->tls_problem());
    Exchange answer = co_await exchange_again_if_closed(pool, *text, limit, intake);
    if (answer.has_error()) co_return answer.error();
    auto response = std::move(answer->response);
    if (intake.passed) intake.passed->shrink(response.body.size());
    const std::string_view coding = response.header("Content-Encoding");
    if (response.body.empty() || coding.empty() || base::equals_ignoring_case(coding, "identity")) {
        response.room = co_await room_for(intake, response.status, response.body.size());
        co_return std::move(response);
    }
    if (!base::equals_ignoring_case(coding, "gzip") && !base::equals_ignoring_case(coding, "x-gzip"))
        co_return problem(*pool, TransportFault::malformed,
                          "the answer has a content coding nobody asked for");
    co_return co_await unpack(pool, std::move(intake), std::move(response));
}

}  // namespace

struct HttpClient::Pool : ConnectionPool {
    using ConnectionPool::ConnectionPool;
};

const char* to_string(TransportFault fault) {
    switch (fault) {
        case TransportFault::resolve: return "resolve";
        case TransportFault::refused: return "refused";
        case TransportFault::connect: return "connect";
        case TransportFault::tls: return "tls";
        case TransportFault::timeout: return "timeout";
        case TransportFault::reset: return "reset";
        case TransportFault::too_large: return "too_large";
        case TransportFault::malformed: return "malformed";
    }
    return "unknown";
}

std::string_view HttpResponse::header(std::string_view name) const { return find_header(headers, name); }

HttpClient::HttpClient(asio::any_io_executor executor, HttpClientOptions options)
    : pool_(std::make_shared<Pool>(std::move(executor), std::move(options))) {}

HttpClient::~HttpClient() {
    if (pool_) pool_->close();
}

HttpClient::HttpClient(HttpClient&&) noexcept = default;

HttpClient& HttpClient::operator=(HttpClient&& other) noexcept {
    if (this != &other) {
        if (pool_) pool_->close();
        pool_ = std::move(other.pool_);
    }
    return *this;
}

base::Task<Outcome> HttpClient::send(HttpRequest request) {
    return send(std::move(request), pool_->options().request_timeout);
}

// Not a coroutine itself: the one that runs owns the pool, not this object.
base::Task<Outcome> HttpClient::send(HttpRequest request, std::chrono::milliseconds request_timeout) {
    return run(pool_, std::move(request), request_timeout);
}

const Url& HttpClient::origin() const { return pool_->options().origin; }

}  // namespace receiptd::net
