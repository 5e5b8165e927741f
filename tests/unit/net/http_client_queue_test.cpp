// Many requests at once: the limit, the queue, cancellation, the end of the client and of the loop.
#include "net/http_client.hpp"

#include "base/coroutine.hpp"
#include "net_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace receiptd::net {
namespace {

using namespace net::testing;
using Outcome = base::Result<HttpResponse, TransportError>;

constexpr const char* kQueuedOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

// Holds every answer back until `wanted` requests are there at the same time.
struct Gate {
    explicit Gate(asio::io_context& io) : opened(io) {
        opened.expires_at(asio::steady_timer::time_point::max());
    }
    asio::steady_timer opened;
    std::size_t waiting = 0;
    std::size_t most_waiting = 0;
};

base::Task<void> answer_at_gate(tcp::socket& socket, Gate& gate) {
    for (;;) {
        co_await read_head(socket);
        gate.most_waiting = std::max(gate.most_waiting, ++gate.waiting);
        boost::system::error_code ignored;
        co_await gate.opened.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        --gate.waiting;
        co_await write_text(socket, kQueuedOk);
    }
}

base::Task<void> send_and_note(HttpClient& client, int number, std::vector<int>& finished) {
    HttpRequest request;  // named: g++ 12 destroys an aggregate in a co_await expression twice
    const Outcome outcome = co_await client.send(std::move(request));
    finished.push_back(outcome.has_value() ? number : -number - 1);
}

class HttpClientQueueTest : public ::testing::Test {
protected:
    HttpClientQueueTest() : gate_(io_), server_(io_, script()) {}
    Script script() {
        return [this](tcp::socket& socket, std::size_t) { return answer_at_gate(socket, gate_); };
    }
    HttpClient client_with(std::size_t max_connections) {
        HttpClientOptions options = options_for(server_.port());
        options.max_connections = max_connections;
        return HttpClient(io_.get_executor(), options);
    }
    void run_until(const std::function<bool()>& condition) {
        io_.restart();
        while (!condition() && io_.run_one() > 0) {
        }
    }

    asio::io_context io_{1};
    Gate gate_;
    ScriptedServer server_;
    std::vector<int> finished_;
};

TEST_F(HttpClientQueueTest, RequestsBeyondTheLimitWaitTheirTurn) {
    HttpClient client = client_with(2);
    for (int i = 0; i < 6; ++i) asio::co_spawn(io_, send_and_note(client, i, finished_), asio::detached);
    run_until([&] { return gate_.waiting == 2; });
    gate_.opened.expires_at(asio::steady_timer::time_point::min());  // open from now on
    run_until([&] { return finished_.size() == 6; });
    EXPECT_THAT(finished_, ::testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_EQ(gate_.most_waiting, 2U);
    EXPECT_EQ(server_.connections(), 2U);
}

TEST_F(HttpClientQueueTest, WaitingRequestsAreServedInTheOrderTheyCame) {
    HttpClient client = client_with(1);
    for (int i = 0; i < 5; ++i) asio::co_spawn(io_, send_and_note(client, i, finished_), asio::detached);
    run_until([&] { return gate_.waiting == 1; });
    gate_.opened.expires_at(asio::steady_timer::time_point::min());
    run_until([&] { return finished_.size() == 5; });
    EXPECT_THAT(finished_, ::testing::ElementsAre(0, 1, 2, 3, 4));
}

// Spawns a request that can be cancelled; `thrown` says how it ended.
void spawn_cancellable(asio::io_context& io, HttpClient& client, asio::cancellation_signal& signal,
                       std::optional<std::exception_ptr>& thrown) {
    asio::co_spawn(
        io, client.send({}),
        asio::bind_cancellation_slot(
            signal.slot(), [&thrown](std::exception_ptr error, const Outcome&) { thrown = error; }));
}

bool is_cancellation(const std::optional<std::exception_ptr>& thrown) {
    try {
        if (thrown && *thrown) std::rethrow_exception(*thrown);
    } catch (const boost::system::system_error& error) {
        return error.code() == asio::error::operation_aborted;
    }
    return false;
}

TEST_F(HttpClientQueueTest, CancelledRequestFreesItsPlaceAndClosesItsConnection) {
    HttpClient client = client_with(1);
    asio::cancellation_signal signal;
    std::optional<std::exception_ptr> thrown;
    spawn_cancellable(io_, client, signal, thrown);
    run_until([&] { return gate_.waiting == 1; });
    asio::co_spawn(io_, send_and_note(client, 1, finished_), asio::detached);
    signal.emit(asio::cancellation_type::terminal);
    run_until([&] { return thrown.has_value(); });
    EXPECT_TRUE(is_cancellation(thrown));
    run_until([&] { return gate_.waiting == 2; });  // the second has a connection of its own
    gate_.opened.expires_at(asio::steady_timer::time_point::min());
    run_until([&] { return !finished_.empty(); });
    EXPECT_THAT(finished_, ::testing::ElementsAre(1));
    EXPECT_EQ(server_.connections(), 2U);
}

TEST_F(HttpClientQueueTest, CancelledWaiterLeavesTheQueue) {
    HttpClient client = client_with(1);
    asio::co_spawn(io_, send_and_note(client, 0, finished_), asio::detached);
    run_until([&] { return gate_.waiting == 1; });
    asio::cancellation_signal signal;
    std::optional<std::exception_ptr> thrown;
    spawn_cancellable(io_, client, signal, thrown);
    asio::co_spawn(io_, send_and_note(client, 2, finished_), asio::detached);
    io_.poll();
    signal.emit(asio::cancellation_type::terminal);
    run_until([&] { return thrown.has_value(); });
    EXPECT_TRUE(is_cancellation(thrown));
    gate_.opened.expires_at(asio::steady_timer::time_point::min());
    run_until([&] { return finished_.size() == 2; });
    EXPECT_THAT(finished_, ::testing::ElementsAre(0, 2));
    EXPECT_EQ(server_.connections(), 1U);
}

TEST_F(HttpClientQueueTest, DestroyedClientEndsWhatRunsAndWhatWaits) {
    auto client = std::make_unique<HttpClient>(client_with(1));
    for (int i = 0; i < 3; ++i) asio::co_spawn(io_, send_and_note(*client, i, finished_), asio::detached);
    run_until([&] { return gate_.waiting == 1; });
    client.reset();
    run_until([&] { return finished_.size() == 3; });
    EXPECT_THAT(finished_, ::testing::UnorderedElementsAre(-1, -2, -3));
}

TEST_F(HttpClientQueueTest, RequestBegunAfterItsClientIsGoneFailsCleanly) {
    auto client = std::make_unique<HttpClient>(client_with(1));
    auto task = client->send({});
    client.reset();
    const Outcome outcome = run_on(io_, std::move(task));
    ASSERT_TRUE(outcome.has_error());
    EXPECT_EQ(outcome.error().fault, TransportFault::reset);
}

TEST(HttpClientTeardown, LoopMayEndWhileRequestsRunAndWait) {
    auto io = std::make_unique<asio::io_context>(1);
    std::vector<int> finished;
    Gate gate(*io);
    std::optional<ScriptedServer> server(
        std::in_place, *io, [&](tcp::socket& socket, std::size_t) { return answer_at_gate(socket, gate); });
    HttpClientOptions options = options_for(server->port());
    options.max_connections = 1;
    std::optional<HttpClient> client(std::in_place, io->get_executor(), options);
    for (int i = 0; i < 3; ++i) asio::co_spawn(*io, send_and_note(*client, i, finished), asio::detached);
    while (gate.waiting < 1) io->run_one();
    server.reset();
    client.reset();
    EXPECT_TRUE(finished.empty());
}

}  // namespace
}  // namespace receiptd::net
